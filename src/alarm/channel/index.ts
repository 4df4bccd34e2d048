import type { ChannelType } from '../kind/delivery-status.ts';
import type { OpenChannel } from './delivery/channel.ts';
import { email } from './email.ts';
import { sms } from './sms.ts';
import { webhook } from './webhook.ts';

/** The channels by type (docs/specification/alarms.md, Enumerations). */
export const channels: Record<ChannelType, OpenChannel> = {
  EMAIL: email,
  SMS: sms,
  WEBHOOK: webhook,
};
