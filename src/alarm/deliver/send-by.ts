import type { App } from '../../kernel/app/app.ts';
import type { Delivery, Outcome } from '../channel/channel.ts';
import { openCredential } from '../notify/channel-credential.ts';
import { openChannels, settingsOf } from '../notify/channels.ts';

/** A channel as it is stored. */
export type StoredChannel = {
  id: string;
  type: number;
  target: string;
  credential: string;
  ext: Record<string, unknown>;
};

export type Message = Pick<Delivery, 'id' | 'subject' | 'text' | 'notice'>;

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
  return channelOf(channel.type).deliver(delivery, signal);
}
