/** channel_type_flag (docs/specification/alarms.md, Enumerations). */
export const ChannelType = { EMAIL: 0, SMS: 1, WEBHOOK: 2 } as const;
export type ChannelType = keyof typeof ChannelType;
