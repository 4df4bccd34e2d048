import type { App } from '../../kernel/app/app.ts';
import { onFirstUse } from '../../kernel/first-use.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import type { Channel } from '../channel/channel.ts';
import { ChannelType } from '../kind/channel-type.ts';

const senders = onFirstUse(() => import('../channel/index.ts'));

/** Opens channels by their stored channel_type_flag; they keep nothing between two deliveries. */
export async function openChannels({
  egress,
  config,
  clock,
}: App): Promise<(type: number) => Channel> {
  const { channels } = await senders();
  return (type) => channels[nameOf(ChannelType, type)]({ egress, mail: config.mail, clock });
}

/** A channel's own settings: `content` of the ext, or the ext itself without one. */
export function settingsOf(channelExt: Record<string, unknown>): unknown {
  return channelExt['content'] ?? channelExt;
}
