import { randomUUID } from 'node:crypto';

import { type Clock, limited } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/process/log.ts';
import { type Bus, type Delivery, MessageTooLarge, type SubscribeOptions } from '../bus.ts';
import { type Payload, type TopicName, topics } from '../topic/topics.ts';
import { createReaders } from './consumer-count.ts';
import { Consumer } from './consumer.ts';
import { Consumers } from './consumers.ts';
import { DeadQueue } from './dead-queue.ts';
import { openLink } from './link.ts';
import { Publisher } from './publisher.ts';
import { declareTopology, maxBytesOf, namesWith, PULSE_QUEUE } from './topology.ts';

const CLOSE_WAIT_MS = 5_000;

/**
 * The bus over RabbitMQ: fulfils the contract of `bus.ts` with durable quorum queues and publisher
 * confirms. Resolves when connected; rejects when the broker stays out of reach for about half a minute.
 */
export async function openRabbitmqBus({
  url,
  prefix,
  clock,
  log,
}: {
  url: string;
  /** Prefix of every exchange and queue, so that platforms can share a broker. */
  prefix: string;
  clock: Clock;
  log: Log;
}): Promise<Bus> {
  const names = namesWith(prefix);
  const publisher = new Publisher({ clock, log, pulse: names(PULSE_QUEUE) });
  const consumers = new Consumers(clock);
  let closed = false;

  // Two connections: a broker short of memory stops reading from publishing connections, and
  // acknowledgements must still get through.
  const outward = await openLink({
    url,
    name: `${prefix} publishing`,
    clock,
    log,
    async setup(model, lost) {
      await declareTopology(model, names, log);
      await publisher.attach(model, lost);
    },
  });
  const inward = await openLink({
    url,
    name: `${prefix} consuming`,
    clock,
    log,
    setup: (model, lost) => consumers.attach(model, lost),
  }).catch(async (error: unknown) => {
    await outward.close();
    throw error;
  });

  const dead = new DeadQueue({ names, link: outward, log, clock });

  return {
    async publish(
      topic,
      payload,
      { key, messageId = randomUUID(), ttlMs, mandatory = false, urgent = false },
    ) {
      await publisher.publish({
        exchange: names(topic),
        key,
        body: bodyOf(topic, payload),
        messageId,
        // The broker confirms, and drops, a message without a queue; a mandatory one it returns.
        mandatory: mandatory || topics[topic].confirm === 'handled',
        urgent,
        expiresAt: ttlMs === undefined ? null : clock.now() + ttlMs,
      });
    },

    async subscribe<N extends TopicName>(
      topic: N,
      { queue, key, prefetch = 1 }: SubscribeOptions,
      handle: (payload: Payload<N>, delivery: Delivery) => Promise<void>,
    ) {
      const consumer = new Consumer({
        topic,
        queue,
        key,
        prefetch,
        names,
        clock,
        log,
        buried: () => dead.grew(),
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed by this topic's schema
        handle: async (payload, delivery) => handle(payload as Payload<N>, delivery),
      });
      await consumers.add(consumer, inward);
      return { cancel: () => consumers.cancel(consumer) };
    },

    readers: createReaders({
      names,
      link: outward,
      confirms: () => publisher.confirms(),
      clock,
      log,
    }),

    dead: dead.letters,

    // RabbitMQ has its own queue for dead letters.
    keepDeadIn() {},

    isUp: () => publisher.isUp(),

    waiting: () => consumers.waiting(),

    async missing() {
      const asked = [publisher.confirms(), outward.answers(), inward.answers()];
      const answers = await Promise.all(asked);
      if (!publisher.isUp() || answers.includes(false)) return ['message bus'];
      return consumers.detached();
    },

    async close() {
      if (closed) return;
      closed = true;
      await consumers.cancelAll();
      await limited(clock, CLOSE_WAIT_MS, publisher.idle());
      publisher.end();
      await Promise.all([inward.close(), outward.close()]);
    },
  };
}

function bodyOf<N extends TopicName>(topic: N, payload: Payload<N>): Buffer {
  const body = Buffer.from(JSON.stringify(topics[topic].payload.parse(payload)));
  if (body.length > maxBytesOf(topic))
    throw new MessageTooLarge(`${body.length} bytes are too many for ${topic}`);
  return body;
}
