import { randomUUID } from 'node:crypto';

import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import {
  type Bus,
  BusFull,
  type Delivery,
  MAX_ATTEMPTS,
  type SubscribeOptions,
  Unroutable,
} from './bus.ts';
import { createPauses, patiently, type Pauses } from './patience.ts';
import { type Payload, type TopicName, topics } from './topics.ts';

const MAX_QUEUED = 10_000;
const FULL_WAIT_MS = 5_000;
const RETRY_DELAY_MS = 200;
const CLOSE_WAIT_MS = 5_000;

type Entry = {
  messageId: string;
  payload: unknown;
  expiresAt: number;
  attempt: number;
  /** Called once: acknowledged, expired, dead-lettered or dropped at close. */
  settled: () => void;
};

type Consumer = {
  handle: (payload: unknown, delivery: Delivery) => Promise<void>;
  free: number;
  pauses: Pauses;
};
type Queue = {
  topic: TopicName;
  key: string;
  entries: Entry[];
  consumers: Consumer[];
  spaceWaiters: (() => void)[];
};

/** The in-process bus: bounded queues, back-pressure on publish, the contract of `bus.ts`. */
export function createMemoryBus({ clock, log }: { clock: Clock; log: Log }): Bus {
  const queues = new Map<string, Queue>();
  const running = new Set<Promise<void>>();
  let closed = false;

  function hand(queue: Queue, consumer: Consumer, entry: Entry): void {
    consumer.free -= 1;
    let acked = false;
    const ack = (): void => {
      if (acked) return;
      acked = true;
      entry.settled();
    };
    const { messageId, attempt, expiresAt } = entry;
    const facts = { topic: queue.topic, messageId, attempt };
    const handle = async (time: number): Promise<void> =>
      consumer.handle(structuredClone(entry.payload), { messageId, attempt: time, ack });
    const run = patiently(handle, {
      attempt,
      clock,
      pauses: consumer.pauses,
      isOver: () => closed || acked || !queue.consumers.includes(consumer),
      expiresAt,
      waits: (error, ms) => log.warn({ ...facts, error, ms }, 'a bus message has to wait'),
    })
      .then(ack, (error: unknown) => {
        if (acked)
          return log.error({ ...facts, error }, 'a bus handler failed after its acknowledgement');
        if (attempt >= MAX_ATTEMPTS || closed) {
          log.error({ ...facts, error }, 'a bus message was dead-lettered');
          return ack();
        }
        log.warn({ ...facts, error }, 'a bus message is tried again');
        clock.after(RETRY_DELAY_MS, () => {
          queue.entries.unshift({ ...entry, attempt: entry.attempt + 1 });
          pump(queue);
        });
      })
      .finally(() => {
        consumer.free += 1;
        running.delete(run);
        pump(queue);
      });
    running.add(run);
  }

  function pump(queue: Queue): void {
    if (closed) return;
    while (queue.entries.length > 0) {
      const consumer = queue.consumers.find((candidate) => candidate.free > 0);
      if (!consumer) return;
      const entry = queue.entries.shift();
      queue.spaceWaiters.shift()?.();
      if (!entry) return;
      if (entry.expiresAt > clock.now()) hand(queue, consumer, entry);
      else entry.settled();
    }
  }

  function enqueue(queue: Queue, message: Omit<Entry, 'settled' | 'attempt'>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    queue.entries.push({ ...message, attempt: 1, settled: resolve });
    // Handlers run outside the publisher's call, as they would behind a broker.
    setImmediate(() => pump(queue));
    return promise;
  }

  function space(queue: Queue): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = (): void => {
      cancel();
      resolve();
    };
    const cancel = clock.after(FULL_WAIT_MS, () => {
      queue.spaceWaiters.splice(queue.spaceWaiters.indexOf(waiter), 1);
      reject(new BusFull(`the queue of ${queue.topic} is full`));
    });
    queue.spaceWaiters.push(waiter);
    return promise;
  }

  return {
    async publish(topic, payload, { key, messageId = randomUUID(), ttlMs, mandatory }) {
      if (closed) throw new Unroutable('the bus is closed');
      const bound = [...queues.values()].filter(
        (queue) => queue.topic === topic && (queue.key === '#' || queue.key === key),
      );
      const listening = bound.filter((queue) => queue.consumers.length > 0);
      if (mandatory && listening.length === 0)
        throw new Unroutable(`nobody listens to ${topic} ${key}`);
      const parsed: unknown = topics[topic].payload.parse(payload);
      const expiresAt = ttlMs === undefined ? Number.POSITIVE_INFINITY : clock.now() + ttlMs;
      const handled: Promise<void>[] = [];
      for (const queue of bound) {
        if (queue.entries.length >= MAX_QUEUED) await space(queue);
        handled.push(enqueue(queue, { messageId, payload: parsed, expiresAt }));
      }
      if (topics[topic].confirm === 'handled') await Promise.all(handled);
    },

    async subscribe<N extends TopicName>(
      topic: N,
      { queue: name, key, prefetch = 1 }: SubscribeOptions,
      handle: (payload: Payload<N>, delivery: Delivery) => Promise<void>,
    ) {
      const id = `${name} ${topic} ${key}`;
      const queue: Queue = queues.get(id) ?? {
        topic,
        key,
        entries: [],
        consumers: [],
        spaceWaiters: [],
      };
      queues.set(id, queue);
      const consumer: Consumer = {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed by this topic's schema when published
        handle: (payload, delivery) => handle(payload as Payload<N>, delivery),
        free: prefetch,
        pauses: createPauses(clock),
      };
      queue.consumers.push(consumer);
      pump(queue);
      return {
        cancel: async () => {
          queue.consumers = queue.consumers.filter((other) => other !== consumer);
          consumer.pauses.end();
        },
      };
    },

    isUp: () => !closed,

    missing: async () => (closed ? ['message bus'] : []),

    async close() {
      closed = true;
      for (const { consumers } of queues.values()) for (const { pauses } of consumers) pauses.end();
      const giveUp = Promise.withResolvers<void>();
      const cancel = clock.after(CLOSE_WAIT_MS, giveUp.resolve);
      await Promise.race([Promise.allSettled(running), giveUp.promise]);
      cancel();
      for (const queue of queues.values())
        for (const entry of queue.entries.splice(0)) entry.settled();
    },
  };
}
