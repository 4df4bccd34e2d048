/** channel_type_flag (SPEC.md, Alarm, rule and notification records). */
export const ChannelType = { EMAIL: 0, SMS: 1, WEBHOOK: 2 } as const;
export type ChannelType = keyof typeof ChannelType;
