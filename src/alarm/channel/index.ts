import type { OpenChannel } from './channel.ts';
import { email } from './email.ts';
import { sms } from './sms.ts';
import { webhook } from './webhook.ts';

/** The channels by `channel_type_flag` (docs/specification/alarms.md, Enumerations). */
export const channels = { 0: email, 1: sms, 2: webhook } as const satisfies Record<
  number,
  OpenChannel
>;
