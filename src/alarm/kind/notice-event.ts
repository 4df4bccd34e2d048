/** event_flag of a notification: the alarm fires (or still fires), or has recovered. */
export const NoticeEvent = { FIRED: 0, RECOVERED: 1 } as const;
export type NoticeEvent = keyof typeof NoticeEvent;
