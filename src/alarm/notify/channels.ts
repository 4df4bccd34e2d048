import type { App } from '../../app.ts';
import { nameOf } from '../../core/input/flag.ts';
import type { Channel } from '../channel/channel.ts';
import { channels } from '../channel/index.ts';
import { ChannelType } from './channel-type.ts';

/** Opens the channel of a stored channel_type_flag; it keeps nothing between two deliveries. */
export const channelOf = ({ egress, config, clock }: App, type: number): Channel =>
  channels[nameOf(ChannelType, type)]({ egress, mail: config.mail, clock });

/** A channel's own settings: `content` of the ext, or the ext itself without one. */
export function settingsOf(channelExt: Record<string, unknown>): unknown {
  return channelExt['content'] ?? channelExt;
}
