import type { Channel } from 'amqplib';

/**
 * Resolves when a channel is closed, whoever closed it. The library leaves its own promise unsettled when
 * the connection ends before the broker has answered.
 */
export async function closeChannel(channel: Channel): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  channel.once('close', resolve);
  // It was closed already, then.
  channel.close().then(resolve, () => resolve());
  await promise;
}
