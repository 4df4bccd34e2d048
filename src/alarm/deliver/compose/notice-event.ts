/** event_flag of a notification: an alarm fired (or still does), or what it spoke of is over. */
export const NoticeEvent = { FIRED: 0, RECOVERED: 1 } as const;
export type NoticeEvent = keyof typeof NoticeEvent;
