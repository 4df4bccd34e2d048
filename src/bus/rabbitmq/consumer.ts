import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';

import { type Clock, limited } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/process/log.ts';
import type { Delivery, QueueLength } from '../bus.ts';
import { createPauses, type Pauses, retryWhileUnavailable } from '../retry.ts';
import { type TopicName, topics } from '../topic/topics.ts';
import { closeChannel } from './close-channel.ts';
import { declareQueue, maxBytesOf, type Names } from './topology.ts';

const CLOSE_WAIT_MS = 5_000;
const ANSWER_MS = 1_500;
const MAX_MESSAGE_ID = 255;

type Parts = {
  topic: TopicName;
  queue: string;
  key: string;
  prefetch: number;
  handle: (payload: unknown, delivery: Delivery) => Promise<void>;
  names: Names;
  clock: Clock;
  log: Log;
  /** Called after a message was dead-lettered. */
  buried: () => void;
};

/** One subscription: parses, delivers, acknowledges; dead-letters payloads that do not match the topic. */
export class Consumer {
  readonly #parts: Parts;
  readonly #running = new Set<Promise<void>>();
  readonly #pauses: Pauses;
  #current: { channel: Channel; tag: string } | null = null;
  #cancelled = false;
  readonly queue: string;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.queue = parts.queue;
    this.#pauses = createPauses(parts.clock);
  }

  /** Whether the broker delivers to this consumer now. */
  isAttached(): boolean {
    return this.#current !== null;
  }

  /** Messages that wait in its queue; null where the broker does not answer. */
  async waiting(): Promise<QueueLength | null> {
    const { queue, names, clock } = this.#parts;
    const asked = this.#current?.channel.checkQueue(names(queue));
    const answer = asked && (await limited(clock, ANSWER_MS, asked).catch(() => null));
    return answer ? { queue, messages: answer.messageCount } : null;
  }

  /** To be called on every new connection; `lost` reports that the broker ended it alone. */
  async attach(model: ChannelModel, lost: (reason: string) => void): Promise<void> {
    const { log, topic, queue, prefetch, names, key } = this.#parts;
    if (this.#cancelled) return;
    const channel = await model.createChannel();
    channel.on('error', (error) => log.warn({ topic, queue, error }, 'a consuming channel failed'));
    let isClosed = false;
    channel.on('close', () => {
      isClosed = true;
      if (this.#current?.channel !== channel) return;
      this.#current = null;
      lost('a consuming channel was closed');
    });
    await channel.prefetch(prefetch);
    await declareQueue(model, names, { topic, queue, key }, log);
    const { consumerTag: tag } = await channel.consume(names(queue), (message) => {
      if (message === null) return lost('the broker ended a subscription');
      // Unacknowledged messages return to the queue when the channel closes.
      if (this.#cancelled) return;
      const run = this.#take(channel, message).finally(() => this.#running.delete(run));
      this.#running.add(run);
    });
    // The channel may have closed together with the broker's answer.
    if (isClosed) throw new Error('a consuming channel was closed at once');
    this.#current = { channel, tag };
  }

  /** Starts no handler any more; resolves when the running ones are done, or after 5 s. */
  async cancel(): Promise<void> {
    const { log, topic, queue, clock } = this.#parts;
    this.#cancelled = true;
    this.#pauses.end();
    const last = this.#current;
    this.#current = null;
    if (!last) return;
    const { channel, tag } = last;
    const quiet = async (): Promise<void> => {
      await channel.cancel(tag);
      while (this.#running.size > 0) await Promise.allSettled(this.#running);
      await closeChannel(channel);
    };
    const ended = quiet().catch((error: unknown) =>
      log.debug({ topic, queue, error }, 'RabbitMQ subscription already ended'),
    );
    await limited(clock, CLOSE_WAIT_MS, ended);
  }

  /** A closed channel cannot acknowledge: the broker delivers the message again. */
  #answer(channel: Channel, how: (channel: Channel) => void): void {
    const { log, topic, queue } = this.#parts;
    try {
      how(channel);
    } catch (error) {
      log.debug({ topic, queue, error }, 'acknowledgement not sent, RabbitMQ channel closed');
    }
  }

  async #take(channel: Channel, message: ConsumeMessage): Promise<void> {
    const { topic, queue, log, buried, handle, clock } = this.#parts;
    const { messageId, headers, ttlMs } = factsOf(message);
    const attempt = deliveryCount(headers) + 1;
    const facts = { topic, queue, messageId, attempt };
    const parsed = parse(topic, message.content);
    if ('reason' in parsed) {
      log.error({ ...facts, reason: parsed.reason }, 'a bus message was dead-lettered');
      this.#answer(channel, (on) => on.nack(message, false, false));
      return buried();
    }
    let acked = false;
    const ack = (): void => {
      if (acked) return;
      acked = true;
      this.#answer(channel, (on) => on.ack(message));
    };
    try {
      await retryWhileUnavailable(
        async (time) => handle(parsed.payload, { messageId, attempt: time, ack }),
        {
          attempt,
          clock,
          pauses: this.#pauses,
          isOver: () => this.#cancelled || acked,
          // Counted from the delivery, as clocks differ; the broker expires messages in the queue.
          expiresAt: clock.now() + ttlMs,
          waits: (error, ms) => log.warn({ ...facts, error, ms }, 'a bus message has to wait'),
          retries: (error, ms) => log.warn({ ...facts, error, ms }, 'bus handler failed, retrying'),
        },
      );
      ack();
    } catch (error) {
      if (acked)
        return log.error({ ...facts, error }, 'a bus handler failed after its acknowledgement');
      // The subscription was cancelled: the next consumer of the queue gets the message.
      if (this.#cancelled) return this.#answer(channel, (on) => on.nack(message, false, true));
      log.error({ ...facts, error }, 'a bus message was dead-lettered');
      this.#answer(channel, (on) => on.nack(message, false, false));
      buried();
    }
  }
}

type Parsed = { payload: unknown } | { reason: string };

/** Payloads are untrusted: any client of the broker can put anything into a queue. */
function parse(topic: TopicName, content: Buffer): Parsed {
  if (content.length > maxBytesOf(topic)) return { reason: `${content.length} bytes` };
  let json: unknown;
  try {
    json = JSON.parse(content.toString('utf8'));
  } catch {
    return { reason: 'not JSON' };
  }
  const { success, data, error } = topics[topic].payload.safeParse(json);
  if (success) return { payload: data };
  const [issue] = error.issues;
  return { reason: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`.slice(0, 256) };
}

type Headers = Record<string, unknown>;

type Facts = { messageId: string; headers: Headers; ttlMs: number };

function factsOf({ properties }: ConsumeMessage): Facts {
  const messageId: unknown = properties.messageId;
  const expiration: unknown = properties.expiration;
  const headers: Headers = properties.headers ?? {};
  const ttlMs = typeof expiration === 'string' ? Number(expiration) : Number.NaN;
  return {
    messageId: typeof messageId === 'string' ? messageId.slice(0, MAX_MESSAGE_ID) : '',
    headers,
    ttlMs: ttlMs >= 0 ? ttlMs : Number.POSITIVE_INFINITY,
  };
}

function deliveryCount(headers: Headers): number {
  const count = headers['x-delivery-count'];
  return typeof count === 'number' ? count : 0;
}
