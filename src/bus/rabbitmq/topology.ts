import type { Channel } from 'amqplib';

import { MAX_ATTEMPTS, MAX_BODY_BYTES } from '../bus.ts';
import { keepingOf, type TopicName, topics } from '../topics.ts';

const MAX_MESSAGES = 100_000;
const MAX_QUEUE_BYTES = 1024 ** 3;
const MAX_DEAD = 10_000;
const MAX_DEAD_BYTES = 256 * 1024 ** 2;
const DEAD_KEPT_MS = 7 * 24 * 3_600_000;

/** The names of one platform on a broker that several may share: `svc.e.value` → `<prefix>.e.value`. */
export type Names = (name: string) => string;

export const namesWith =
  (prefix: string): Names =>
  (name) =>
    `${prefix}.${name.replace(/^svc\./, '')}`;

const quorum = { 'x-queue-type': 'quorum' };

/** All exchanges, the dead-letter queue, and the queues that are there before their consumers. */
export async function declareTopology(channel: Channel, names: Names): Promise<void> {
  await channel.assertExchange(names('svc.e.dead'), 'topic');
  await channel.assertQueue(names('svc.q.dead'), {
    maxLength: MAX_DEAD,
    messageTtl: DEAD_KEPT_MS,
    arguments: { ...quorum, 'x-max-length-bytes': MAX_DEAD_BYTES },
  });
  await channel.bindQueue(names('svc.q.dead'), names('svc.e.dead'), '#');
  for (const topic of topicNames()) {
    await channel.assertExchange(names(topic), 'topic');
    const { queue } = keepingOf(topic);
    if (queue) await declareQueue(channel, names, { topic, queue, key: '#' });
  }
}

/**
 * Durable and bounded; what was handed out `MAX_ATTEMPTS` times, refused or too old goes to `svc.q.dead`
 * (SPEC.md and the notes on RabbitMQ 4: quorum queues only, no priorities, no lazy mode).
 */
export async function declareQueue(
  channel: Channel,
  names: Names,
  { topic, queue, key }: { topic: TopicName; queue: string; key: string },
): Promise<void> {
  const { whenFull = 'refuse', maxAgeMs, idleMs } = keepingOf(topic);
  await channel.assertQueue(names(queue), {
    deadLetterExchange: names('svc.e.dead'),
    maxLength: MAX_MESSAGES,
    overflow: whenFull === 'refuse' ? 'reject-publish' : 'drop-head',
    ...(maxAgeMs === undefined ? {} : { messageTtl: maxAgeMs }),
    ...(idleMs === undefined ? {} : { expires: idleMs }),
    arguments: {
      ...quorum,
      'x-delivery-limit': MAX_ATTEMPTS - 1,
      'x-max-length-bytes': MAX_QUEUE_BYTES,
    },
  });
  await channel.bindQueue(names(queue), names(topic), key);
}

export const maxBytesOf = (topic: TopicName): number => keepingOf(topic).maxBytes ?? MAX_BODY_BYTES;

export const topicNames = (): TopicName[] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a constant
  Object.keys(topics) as TopicName[];
