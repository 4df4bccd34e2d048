import type { Channel, ChannelModel, Options } from 'amqplib';

import type { Log } from '../../kernel/process/log.ts';
import { MAX_BODY_BYTES } from '../bus.ts';
import { MAX_DEAD } from '../dead-letter.ts';
import { topicNames } from '../topic/topic-names.ts';
import { keepingOf, type TopicName } from '../topic/topics.ts';
import { closeChannel } from './close-channel.ts';

const MAX_MESSAGES = 100_000;
const MAX_QUEUE_BYTES = 1024 ** 3;
const MAX_DEAD_BYTES = 256 * 1024 ** 2;
const DEAD_KEPT_MS = 7 * 24 * 3_600_000;

/** The names of one platform on a broker that several may share: `svc.e.value` → `<prefix>.e.value`. */
export type Names = (name: string) => string;

export const namesWith =
  (prefix: string): Names =>
  (name) =>
    `${prefix}.${name.replace(/^svc\./, '')}`;

export const DEAD_QUEUE = 'svc.q.dead';
/** Holds the last message that a process published to see whether the broker confirms any. */
export const PULSE_QUEUE = 'svc.q.pulse';
/** Deliveries of one message, also to processes that died: more show that it ends its consumers. */
const MAX_HANDOUTS = 10_000;
/** AMQP's code for a declaration that differs. */
const PRECONDITION_FAILED = 406;

const quorum = { 'x-queue-type': 'quorum' };

/** Declares all exchanges, the dead-letter queue, and the queues that exist before their consumers. */
export async function declareTopology(model: ChannelModel, names: Names, log: Log): Promise<void> {
  const dead = names(DEAD_QUEUE);
  await onChannel(model, (channel) => channel.assertExchange(names('svc.e.dead'), 'topic'));
  const deadOptions = {
    maxLength: MAX_DEAD,
    messageTtl: DEAD_KEPT_MS,
    arguments: {
      ...quorum,
      'x-delivery-limit': MAX_HANDOUTS,
      'x-max-length-bytes': MAX_DEAD_BYTES,
    },
  };
  await declare(model, dead, deadOptions, log);
  await onChannel(model, (channel) => channel.bindQueue(dead, names('svc.e.dead'), '#'));
  const pulseOptions: Options.AssertQueue = {
    maxLength: 1,
    overflow: 'drop-head',
    arguments: quorum,
  };
  await declare(model, names(PULSE_QUEUE), pulseOptions, log);
  for (const topic of topicNames()) {
    await onChannel(model, (channel) => channel.assertExchange(names(topic), 'topic'));
    const { queue } = keepingOf(topic);
    if (queue) await declareQueue(model, names, { topic, queue, key: '#' }, log);
  }
}

/**
 * Declares a durable, bounded queue; rejected and expired messages go to `svc.q.dead`
 * (docs/specification/bus.md, Dead letters): quorum queues only, no priorities, no lazy mode. Consumers
 * count the failures of a handler; the broker counts every delivery, also those that ended with a process.
 */
export async function declareQueue(
  model: ChannelModel,
  names: Names,
  { topic, queue, key }: { topic: TopicName; queue: string; key: string },
  log: Log,
): Promise<void> {
  const { whenFull = 'refuse', maxAgeMs, idleMs } = keepingOf(topic);
  const options = {
    deadLetterExchange: names('svc.e.dead'),
    maxLength: MAX_MESSAGES,
    overflow: whenFull === 'refuse' ? 'reject-publish' : 'drop-head',
    ...(maxAgeMs === undefined ? {} : { messageTtl: maxAgeMs }),
    ...(idleMs === undefined ? {} : { expires: idleMs }),
    arguments: {
      ...quorum,
      'x-delivery-limit': MAX_HANDOUTS,
      'x-max-length-bytes': MAX_QUEUE_BYTES,
    },
  };
  await declare(model, names(queue), options, log);
  await onChannel(model, (channel) => channel.bindQueue(names(queue), names(topic), key));
}

/** Keeps a queue that an earlier version declared with other limits: it may hold messages. */
async function declare(
  model: ChannelModel,
  queue: string,
  options: Options.AssertQueue,
  log: Log,
): Promise<void> {
  try {
    await onChannel(model, (channel) => channel.assertQueue(queue, options));
  } catch (error) {
    const isOther = error instanceof Error && 'code' in error && error.code === PRECONDITION_FAILED;
    if (!isOther) throw error;
    log.warn(
      { queue },
      'a queue has the limits of an earlier version; delete it while it is empty',
    );
  }
}

/** Runs `work` on a new channel, because the broker closes a channel on which it refuses something. */
async function onChannel(
  model: ChannelModel,
  work: (channel: Channel) => Promise<unknown>,
): Promise<void> {
  const channel = await model.createChannel();
  // The failing request rejects as well.
  channel.on('error', () => {});
  await work(channel);
  await closeChannel(channel);
}

export const maxBytesOf = (topic: TopicName): number => keepingOf(topic).maxBytes ?? MAX_BODY_BYTES;
