import type { ConfirmChannel, GetMessage } from 'amqplib';

import type { Clock } from '../../core/clock.ts';
import { Unavailable } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import {
  type DeadLetter,
  type DeadLetters,
  isAmong,
  isReplayable,
  MAX_DEAD,
  type Which,
} from '../dead-letter.ts';
import { closeChannel } from './close-channel.ts';
import type { Link } from './link.ts';
import { DEAD_QUEUE, type Names } from './topology.ts';

const LOOK_MS = 60_000;
const UNKNOWN = 'unknown';

/** The dead letters of this platform on the broker, and a word in the log when no more go in. */
export function createDeadQueue({
  names,
  link,
  clock,
  log,
}: {
  names: Names;
  link: Link;
  clock: Clock;
  log: Log;
}): { letters: DeadLetters; grew(): void } {
  const queue = names(DEAD_QUEUE);
  let waits = false;

  async function withChannel<T>(work: (channel: ConfirmChannel) => Promise<T>): Promise<T> {
    const model = await link.up(0);
    if (!model) throw new Unavailable('The message bus is not there now');
    const channel = await model.createConfirmChannel();
    channel.on('error', (error) => log.warn({ error }, 'the dead letters could not be read'));
    try {
      return await work(channel);
    } finally {
      // What was taken and not answered for goes back, in its old place.
      await closeChannel(channel);
    }
  }

  /** Takes at most `limit`, the oldest first; none is off the queue before it is acknowledged. */
  async function take(channel: ConfirmChannel, limit: number): Promise<GetMessage[]> {
    const taken: GetMessage[] = [];
    while (taken.length < limit) {
      const message = await channel.get(queue);
      if (!message) break;
      taken.push(message);
    }
    return taken;
  }

  const each = (
    which: Which,
    work: (channel: ConfirmChannel, message: GetMessage) => Promise<boolean>,
  ) =>
    withChannel(async (channel) => {
      const wanted = (await take(channel, MAX_DEAD)).filter((message) =>
        isAmong(which, letterOf(message).id),
      );
      let done = 0;
      for (const message of wanted) {
        if (!(await work(channel, message))) continue;
        channel.ack(message);
        done += 1;
      }
      return done;
    });

  async function warnWhenFull(): Promise<void> {
    try {
      const { messageCount } = await withChannel((channel) => channel.checkQueue(queue));
      if (messageCount >= MAX_DEAD)
        log.error({ messageCount }, 'the dead letters are full: the oldest are forgotten');
    } catch (error) {
      log.debug({ error }, 'the dead letters could not be counted');
    }
  }

  return {
    letters: {
      list: (limit) =>
        withChannel(async (channel) => {
          const { messageCount } = await channel.checkQueue(queue);
          const letters = (await take(channel, limit)).map(letterOf);
          // What the queue forgets to stay within its bounds the broker does not tell.
          return { total: messageCount, forgotten: 0, letters };
        }),
      replay: (which) =>
        each(which, async (channel, { content, properties }) => {
          const { topic, queue: origin } = letterOf({ content, properties });
          if (!isReplayable(topic)) return false;
          const headers: Record<string, unknown> = properties.headers ?? {};
          const own = Object.entries(headers).filter(
            ([name]) => !/^x-(?:first-|last-)?death/.test(name),
          );
          let hasQueue = true;
          channel.once('return', () => (hasQueue = false));
          channel.sendToQueue(names(origin), content, {
            persistent: true,
            contentType: 'application/json',
            messageId: String(properties.messageId ?? ''),
            headers: Object.fromEntries(own),
            mandatory: true,
          });
          await channel.waitForConfirms();
          return hasQueue;
        }),
      drop: (which) => each(which, async () => true),
    },

    grew() {
      if (waits) return;
      waits = true;
      clock.after(LOOK_MS, () => (waits = false));
      void warnWhenFull();
    },
  };
}

function letterOf({ content, properties }: Pick<GetMessage, 'content' | 'properties'>): DeadLetter {
  const headers: Record<string, unknown> = properties.headers ?? {};
  const text = (name: string): string => {
    const value = headers[name];
    return typeof value === 'string' ? value.slice(0, 255) : UNKNOWN;
  };
  const messageId: unknown = properties.messageId;
  const id = typeof messageId === 'string' ? messageId.slice(0, 255) : '';
  const deaths: unknown = headers['x-death'];
  const [death]: unknown[] = Array.isArray(deaths) ? deaths : [];
  return {
    // A message may have died in several queues.
    id: `${bareOf(text('x-first-death-queue'))}/${id}`,
    topic: bareOf(text('x-first-death-exchange')),
    queue: bareOf(text('x-first-death-queue')),
    messageId: id,
    reason: text('x-first-death-reason'),
    at: timeOf(death),
    bytes: content.length,
  };
}

/** A name as every platform has it, without the prefix of this one; a prefix has no dot. */
const bareOf = (name: string): string => name.replace(/^[^.]*\./, 'svc.');

/** AMQP times are seconds, which amqplib hands out as `{ '!': 'timestamp', value }`. */
function timeOf(death: unknown): Date {
  const time: unknown =
    typeof death === 'object' && death !== null && 'time' in death ? death.time : 0;
  const seconds: unknown =
    typeof time === 'object' && time !== null && 'value' in time ? time.value : 0;
  return new Date(typeof seconds === 'number' ? seconds * 1000 : 0);
}
