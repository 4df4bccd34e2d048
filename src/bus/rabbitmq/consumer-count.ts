import type { Channel, ChannelModel } from 'amqplib';

import { type Clock, limited } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/process/log.ts';
import type { Link } from './link.ts';
import type { Names } from './topology.ts';

const ANSWER_MS = 2_000;

/**
 * Number of consumers of a queue; null when the queue does not exist or the broker does not answer. A broker without a
 * quorum counts no consumer anywhere: 0 is answered only while it confirms messages.
 */
export function createReaders({
  names,
  link,
  confirms,
  clock,
  log,
}: {
  names: Names;
  link: Link;
  confirms(): Promise<boolean>;
  clock: Clock;
  log: Log;
}): (queue: string) => Promise<number | null> {
  let open: { model: ChannelModel; channel: Promise<Channel> } | null = null;

  async function channelOf(model: ChannelModel): Promise<Channel> {
    const channel = await model.createChannel();
    // The failing request rejects as well.
    channel.on('error', () => {});
    return channel;
  }

  return async (queue) => {
    const model = await link.up(0);
    if (!model) return null;
    if (open?.model !== model) open = { model, channel: channelOf(model) };
    const asked = open;
    try {
      const found = asked.channel.then((channel) => channel.checkQueue(names(queue)));
      const count = (await limited(clock, ANSWER_MS, found))?.consumerCount ?? null;
      return count === 0 && !(await confirms()) ? null : count;
    } catch (error) {
      // The broker closes a channel after a check of a queue that does not exist.
      if (open === asked) open = null;
      log.debug({ queue, error }, 'the consumers of a queue could not be counted');
      return null;
    }
  };
}
