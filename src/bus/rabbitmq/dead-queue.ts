import { randomUUID } from 'node:crypto';

import type { ConfirmChannel, GetMessage } from 'amqplib';

import type { Clock } from '../../kernel/clock.ts';
import { Unavailable } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/process/log.ts';
import {
  type DeadLetter,
  type DeadLetters,
  isReplayable,
  MAX_DEAD,
  type Which,
} from '../dead-letter.ts';
import { closeChannel } from './close-channel.ts';
import type { Link } from './link.ts';
import { DEAD_QUEUE, type Names } from './topology.ts';

const LOOK_MS = 60_000;
const LOOKS = 3;
const LOOK_AGAIN_MS = 200;
/** Header of a replayed letter: the id of the replay call. */
const REPLAY_HEADER = 'x-replay';
const UNKNOWN = 'unknown';

type Parts = {
  names: Names;
  link: Link;
  clock: Clock;
  log: Log;
};

/** The dead letters of this platform on the broker; logs an error when their queue is full. */
export class DeadQueue {
  readonly #parts: Parts;
  readonly #queue: string;
  #waits = false;
  readonly letters: DeadLetters = {
    list: (limit) =>
      this.#withChannel(async (channel) => {
        const { messageCount: total } = await channel.checkQueue(this.#queue);
        const letters: DeadLetter[] = [];
        if (limit > 0)
          for await (const message of this.#lettersOn(channel, 0))
            if (letters.push(letterOf(message)) >= limit) break;
        // The broker does not report how many letters the queue limits dropped.
        return { total, forgotten: 0, letters };
      }),
    replay: (which) =>
      this.#each(which, async (channel, { content, properties }, run) => {
        const { topic, queue: origin } = letterOf({ content, properties });
        if (!isReplayable(topic)) return false;
        const headers: Record<string, unknown> = properties.headers ?? {};
        const own = Object.entries(headers).filter(
          ([name]) => !/^x-(?:first-|last-)?death/.test(name),
        );
        let hasQueue = true;
        const returned = (): void => void (hasQueue = false);
        channel.once('return', returned);
        channel.sendToQueue(this.#parts.names(origin), content, {
          persistent: true,
          contentType: 'application/json',
          messageId: String(properties.messageId ?? ''),
          headers: { ...Object.fromEntries(own), [REPLAY_HEADER]: run },
          mandatory: true,
        });
        await channel.waitForConfirms();
        channel.off('return', returned);
        return hasQueue;
      }),
    drop: (which) => this.#each(which, async () => true),
  };

  constructor(parts: Parts) {
    const { names } = parts;
    this.#parts = parts;
    this.#queue = names(DEAD_QUEUE);
  }

  grew() {
    if (this.#waits) return;
    this.#waits = true;
    this.#parts.clock.after(LOOK_MS, () => (this.#waits = false));
    void this.#warnWhenFull();
  }

  /** Runs `work` on all letters, or on the oldest of each wanted id, up to the last of them. */
  readonly #each = (
    which: Which,
    work: (channel: ConfirmChannel, message: GetMessage, run: string) => Promise<boolean>,
  ) => {
    return this.#withChannel(async (channel) => {
      const wanted = new Set(which === 'all' ? [] : which);
      const run = randomUUID();
      let done = 0;
      for await (const message of this.#lettersOn(channel, LOOKS)) {
        // This call replayed the letter and it died again; so did every letter behind it.
        if (message.properties.headers?.[REPLAY_HEADER] === run) break;
        if (which !== 'all' && !wanted.delete(letterOf(message).id)) continue;
        if (await work(channel, message, run)) {
          channel.ack(message);
          done += 1;
        }
        if (which !== 'all' && wanted.size === 0) break;
      }
      // The answer shows that the broker has got the acknowledgements sent before.
      await channel.checkQueue(this.#queue);
      return done;
    });
  };

  async #withChannel<T>(work: (channel: ConfirmChannel) => Promise<T>): Promise<T> {
    const { link, log } = this.#parts;
    const model = await link.up(0);
    if (!model) throw new Unavailable('The message bus is not there now');
    const channel = await model.createConfirmChannel();
    channel.on('error', (error) => log.warn({ error }, 'the dead letters could not be read'));
    try {
      return await work(channel);
    } finally {
      // Closing the channel returns unacknowledged letters to their old place in the queue.
      await closeChannel(channel);
    }
  }

  /**
   * Yields the letters, oldest first, with one of them in memory at a time. A letter leaves the queue when
   * it is acknowledged. Letters taken by another reader come back a moment later, so an empty queue is read
   * `looks` times more.
   */
  async *#lettersOn(channel: ConfirmChannel, looks: number): AsyncGenerator<GetMessage> {
    for (let left = MAX_DEAD; left > 0;) {
      const message = await channel.get(this.#queue);
      if (message) {
        left -= 1;
        yield message;
      } else if (looks > 0) {
        looks -= 1;
        await new Promise<void>((resolve) => void this.#parts.clock.after(LOOK_AGAIN_MS, resolve));
      } else return;
    }
  }

  async #warnWhenFull(): Promise<void> {
    const { log } = this.#parts;
    try {
      const { messageCount } = await this.#withChannel((channel) =>
        channel.checkQueue(this.#queue),
      );
      if (messageCount >= MAX_DEAD)
        log.error({ messageCount }, 'dead letters full, oldest dropped');
    } catch (error) {
      log.debug({ error }, 'the dead letters could not be counted');
    }
  }
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
    // A message may have died in several queues, so the id names the queue.
    id: `${bareOf(text('x-first-death-queue'))}/${id}`,
    topic: bareOf(text('x-first-death-exchange')),
    queue: bareOf(text('x-first-death-queue')),
    messageId: id,
    reason: text('x-first-death-reason'),
    at: timeOf(death),
    bytes: content.length,
  };
}

/** Name without this platform's prefix, which contains no dot: `<prefix>.x` → `svc.x`. */
const bareOf = (name: string): string => name.replace(/^[^.]*\./, 'svc.');

/** AMQP times are in seconds; amqplib delivers them as `{ '!': 'timestamp', value }`. */
function timeOf(death: unknown): Date {
  const time: unknown =
    typeof death === 'object' && death !== null && 'time' in death ? death.time : 0;
  const seconds: unknown =
    typeof time === 'object' && time !== null && 'value' in time ? time.value : 0;
  return new Date(typeof seconds === 'number' ? seconds * 1000 : 0);
}
