import type { Channel } from 'amqplib';

/**
 * Resolves when a channel is closed, from either side. The library leaves its own promise unsettled when
 * the connection ends before the broker has answered.
 */
export async function closeChannel(channel: Channel): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  channel.once('close', resolve);
  // `close` fails on a channel that is already closed.
  channel.close().then(resolve, () => resolve());
  await promise;
}
