import type { App } from '../../app.ts';
import { nameOf } from '../../core/input/flag.ts';
import type { Channel, ChannelOptions } from '../channel/channel.ts';
import { channels } from '../channel/index.ts';
import { ChannelType } from './channel-type.ts';

export const openChannels = (options: ChannelOptions): Record<ChannelType, Channel> => ({
  EMAIL: channels[ChannelType.EMAIL](options),
  SMS: channels[ChannelType.SMS](options),
  WEBHOOK: channels[ChannelType.WEBHOOK](options),
});

/** The channel of a stored channel_type_flag. */
export const channelOf = (app: App, type: number): Channel =>
  app.caches.channels[nameOf(ChannelType, type)];

/** A channel's own settings: `content` of the ext, or the ext itself without one. */
export function settingsOf(channelExt: Record<string, unknown>): unknown {
  return channelExt['content'] ?? channelExt;
}
