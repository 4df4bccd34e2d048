import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

import { type Clock, limited } from '../kernel/clock.ts';
import type { Log } from '../kernel/process/log.ts';
import { Waiting } from '../kernel/queue.ts';
import {
  type Bus,
  BusFull,
  type Delivery,
  NotStored,
  type PublishOptions,
  type SubscribeOptions,
  Unroutable,
} from './bus.ts';
import { copyOf } from './copy.ts';
import {
  createHeldLetters,
  type DeadLetters,
  type DeadLetterStore,
  isReplayable,
} from './dead-letter.ts';
import { createPauses, type Pauses, retryWhileUnavailable } from './retry.ts';
import { type Payload, type TopicName, topics } from './topic/topics.ts';

const MAX_QUEUED = 10_000;
const FULL_WAIT_MS = 5_000;
const CLOSE_WAIT_MS = 5_000;

type Entry = {
  messageId: string;
  payload: unknown;
  expiresAt: number;
  attempt: number;
  /** Called once: with null when acknowledged, expired or dead-lettered; with an error when lost. */
  settled: (error: NotStored | null) => void;
};

type Consumer = {
  handle: (payload: unknown, delivery: Delivery) => Promise<void>;
  free: number;
  pauses: Pauses;
};
type Queue = {
  name: string;
  topic: TopicName;
  key: string;
  entries: Entry[];
  consumers: Consumer[];
  space: Waiting;
};

const idOf = (name: string, topic: string, key: string): string => `${name} ${topic} ${key}`;

type Parts = { clock: Clock; log: Log };

/** The in-process bus: bounded queues, back-pressure on publish, the contract of `bus.ts`. */
export class MemoryBus implements Bus {
  readonly #parts: Parts;
  readonly #queues = new Map<string, Queue>();
  readonly #running = new Set<Promise<void>>();
  #closed = false;
  #store = createHeldLetters();
  #forgotten = 0;
  readonly #replaying = new Set<string>();
  readonly dead: DeadLetters = {
    list: async (limit) => {
      const { total, letters } = await this.#store.list(limit);
      const shown = letters.map(({ id, topic, queue, messageId, reason, at, payload }) => ({
        id,
        topic,
        queue,
        messageId,
        reason,
        at,
        bytes: Buffer.byteLength(JSON.stringify(payload)),
      }));
      return { total, forgotten: this.#forgotten, letters: shown };
    },
    replay: async (which) => {
      let replayed = 0;
      let after = '0';
      const { total } = await this.#store.list(0);
      // One letter in memory at a time, at most `total`: a failed replay comes back as a new letter.
      for (let left = total; left > 0; left -= 1) {
        const letter = await this.#store.next(which, after);
        if (!letter) break;
        const { id, topic, queue, key, messageId, payload } = letter;
        after = id;
        const to = this.#queues.get(idOf(queue, topic, key));
        if (!isReplayable(topic) || !to || to.consumers.length === 0 || this.#replaying.has(id))
          continue;
        if (to.entries.length >= MAX_QUEUED) await this.#space(to);
        this.#replaying.add(id);
        replayed += 1;
        // The dead letter goes only after its handler succeeded; a replay that fails again adds another dead letter.
        this.#enqueue(to, { messageId, payload, expiresAt: Number.POSITIVE_INFINITY })
          .then(() => this.#store.remove([id]))
          .catch((error: unknown) =>
            this.#parts.log.error({ error, messageId }, 'dead letter replay failed'),
          )
          .finally(() => this.#replaying.delete(id));
      }
      return replayed;
    },
    drop: (which) => this.#store.remove(which),
  };

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  // Fields, not methods: a copy of the bus, with one of them replaced, works too.
  readonly publish = async <N extends TopicName>(
    topic: N,
    payload: Payload<N>,
    { key, messageId = randomUUID(), ttlMs, mandatory }: PublishOptions,
  ): Promise<void> => {
    if (this.#closed) throw new Unroutable('the bus is closed');
    const bound = [...this.#queues.values()].filter(
      (queue) => queue.topic === topic && (queue.key === '#' || queue.key === key),
    );
    const listening = bound.filter((queue) => queue.consumers.length > 0);
    if (mandatory && listening.length === 0)
      throw new Unroutable(`nobody listens to ${topic} ${key}`);
    const parsed: unknown = topics[topic].payload.parse(payload);
    const expiresAt =
      ttlMs === undefined ? Number.POSITIVE_INFINITY : this.#parts.clock.now() + ttlMs;
    const handled: Promise<void>[] = [];
    for (const queue of bound) {
      if (queue.entries.length >= MAX_QUEUED) await this.#space(queue);
      handled.push(this.#enqueue(queue, { messageId, payload: parsed, expiresAt }));
    }
    if (topics[topic].confirm === 'handled') await Promise.all(handled);
  };

  readonly subscribe = async <N extends TopicName>(
    topic: N,
    { queue: name, key, prefetch = 1 }: SubscribeOptions,
    handle: (payload: Payload<N>, delivery: Delivery) => Promise<void>,
  ) => {
    const id = idOf(name, topic, key);
    const queue: Queue = this.#queues.get(id) ?? {
      name,
      topic,
      key,
      entries: [],
      consumers: [],
      space: new Waiting(this.#parts.clock),
    };
    this.#queues.set(id, queue);
    // As behind a broker: a handler runs in the context of its subscriber, not in that of a publisher.
    const ofSubscriber = AsyncLocalStorage.snapshot();
    const consumer: Consumer = {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed by this topic's schema when published
      handle: (payload, delivery) => ofSubscriber(() => handle(payload as Payload<N>, delivery)),
      free: prefetch,
      pauses: createPauses(this.#parts.clock),
    };
    queue.consumers.push(consumer);
    this.#pump(queue);
    return {
      cancel: async () => {
        queue.consumers = queue.consumers.filter((other) => other !== consumer);
        consumer.pauses.end();
      },
    };
  };

  readonly readers = async () => {
    return null;
  };

  readonly waiting = async () => {
    return [...this.#queues.values()].map(({ name, entries }) => ({
      queue: name,
      messages: entries.length,
    }));
  };

  readonly keepDeadIn = (other: DeadLetterStore): void => {
    this.#store = other;
  };

  readonly isUp = () => {
    return !this.#closed;
  };

  readonly missing = async () => {
    return this.#closed ? ['message bus'] : [];
  };

  readonly close = async () => {
    this.#closed = true;
    for (const { consumers } of this.#queues.values())
      for (const { pauses } of consumers) pauses.end();
    await limited(this.#parts.clock, CLOSE_WAIT_MS, Promise.allSettled(this.#running));
    for (const queue of this.#queues.values())
      for (const entry of queue.entries.splice(0))
        entry.settled(new NotStored(`${queue.topic} was not handled: the bus closed`));
  };

  #hand(queue: Queue, consumer: Consumer, entry: Entry): void {
    const { clock, log } = this.#parts;
    consumer.free -= 1;
    let acked = false;
    const ack = (): void => {
      if (acked) return;
      acked = true;
      entry.settled(null);
    };
    const { messageId, attempt, expiresAt } = entry;
    const facts = { topic: queue.topic, messageId, attempt };
    const isOver = (): boolean => this.#closed || acked || !queue.consumers.includes(consumer);
    const handle = async (time: number): Promise<void> => {
      handed = time;
      await consumer.handle(copyOf(entry.payload), { messageId, attempt: time, ack });
    };
    let handed = attempt;
    const run = retryWhileUnavailable(handle, {
      attempt,
      clock,
      pauses: consumer.pauses,
      isOver,
      expiresAt,
      waits: (error, ms) => log.warn({ ...facts, error, ms }, 'a bus message has to wait'),
      retries: (error, ms) => log.warn({ ...facts, error, ms }, 'bus handler failed, retrying'),
    })
      .then(ack, async (error: unknown) => {
        if (acked)
          return log.error({ ...facts, error }, 'a bus handler failed after its acknowledgement');
        if (this.#closed || !isOver()) return this.#bury(queue, entry, error);
        // The subscription was cancelled: the next consumer of the queue gets the message.
        queue.entries.unshift({ ...entry, attempt: handed + 1 });
      })
      .finally(() => {
        consumer.free += 1;
        this.#running.delete(run);
        this.#pump(queue);
      });
    this.#running.add(run);
  }

  /** Settles the publisher's promise: resolved when the dead letter is stored, rejected when it is lost. */
  async #bury(queue: Queue, entry: Entry, error: unknown): Promise<void> {
    const { clock, log } = this.#parts;
    const { topic, name, key } = queue;
    const { messageId, payload } = entry;
    const facts = { topic, queue: name, messageId };
    try {
      const at = new Date(clock.now());
      const letter = { topic, queue: name, key, messageId, reason: 'rejected', at, payload };
      const gone = await this.#store.add(letter);
      log.error({ ...facts, error }, 'a bus message was dead-lettered');
      this.#forgotten += gone;
      if (gone > 0) log.error({ forgotten: this.#forgotten }, 'dead letters full, oldest dropped');
      entry.settled(null);
    } catch (failure) {
      log.error({ ...facts, error, failure }, 'bus message lost, dead letter not stored');
      entry.settled(new NotStored(`${topic} was not handled`));
    }
  }

  #pump(queue: Queue): void {
    if (this.#closed) return;
    while (queue.entries.length > 0) {
      const consumer = queue.consumers.find((candidate) => candidate.free > 0);
      if (!consumer) return;
      const entry = queue.entries.shift();
      queue.space.next();
      if (!entry) return;
      if (entry.expiresAt > this.#parts.clock.now()) this.#hand(queue, consumer, entry);
      else entry.settled(null);
    }
  }

  #enqueue(queue: Queue, message: Omit<Entry, 'settled' | 'attempt'>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // A loss must not be an unhandled rejection where the publisher does not wait.
    promise.catch(() => {});
    const settled = (error: NotStored | null): void => (error ? reject(error) : resolve());
    queue.entries.push({ ...message, attempt: 1, settled });
    // Handlers run outside the publisher's call, as they would behind a broker.
    setImmediate(() => this.#pump(queue));
    return promise;
  }

  #space(queue: Queue): Promise<void> {
    const full = (): BusFull => new BusFull(`the queue of ${queue.topic} is full`);
    return queue.space.turn({ waitMs: FULL_WAIT_MS }, full);
  }
}
