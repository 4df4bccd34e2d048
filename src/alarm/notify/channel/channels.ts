import type { App } from '../../../kernel/app/app.ts';
import { onFirstUse } from '../../../kernel/first-use.ts';
import { nameOf } from '../../../kernel/input/flag.ts';
import type { Channel, Delivery, Outcome } from '../../channel/delivery/channel.ts';
import { ChannelType } from '../../kind/delivery-status.ts';
import { openCredential } from './channel-credential.ts';
import { forget, isPush, pushTo } from './push.ts';

const senders = onFirstUse(() => import('../../channel/index.ts'));

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

/** A channel as it is stored. */
export type StoredChannel = {
  id: string;
  type: number;
  target: string;
  credential: string;
  ext: Record<string, unknown>;
};

export type Message = Pick<Delivery, 'id' | 'subject' | 'text' | 'notice' | 'left'>;

/** Sends one message over a stored channel; ends within 15 s and never throws. */
export async function sendBy(
  app: App,
  tenantId: string,
  channel: StoredChannel,
  message: Message,
  signal: AbortSignal,
): Promise<Outcome> {
  const credential = openCredential(app, { tenantId, id: channel.id }, channel.credential);
  if (credential === null)
    return { status: 'refused', reason: 'the stored credential cannot be opened' };
  const { target } = channel;
  const settings = settingsOf(channel.ext);
  const delivery = { ...message, target, credential, settings, at: app.clock.now() };
  const channelOf = await openChannels(app);
  const way = channelOf(channel.type);
  if (!isPush(settings)) return way.deliver(delivery, signal);
  const push = await pushTo(app, { ...channel, tenantId });
  if ('status' in push) return push;
  // What is sealed are the browsers.
  const outcome = await way.deliver({ ...delivery, credential: '', push }, signal);
  if (outcome.gone) await forget(app, { ...channel, tenantId }, outcome.gone);
  return outcome;
}
