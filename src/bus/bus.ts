import type { DeadLetters, DeadLetterStore } from './dead-letter.ts';
import type { Payload, TopicName } from './topic/topics.ts';

/** Facts about one delivery of a message, besides its payload. */
export type Delivery = {
  messageId: string;
  /** 1 on the first delivery; with a higher number an earlier delivery may already have been handled. */
  attempt: number;
  /** Acknowledges now; otherwise the bus acknowledges when the handler resolves. */
  ack(): void;
};

export type PublishOptions = {
  /** Routing key: the driver code, tenant or other value that the topic is bound by. */
  key: string;
  messageId?: string;
  /** Time to live; after it no consumer gets the message. */
  ttlMs?: number;
  /**
   * Reject with `Unroutable` without a queue for the key. In-process the queue needs a listening consumer;
   * RabbitMQ keeps a queue without consumers for `keeping.idleMs`.
   */
  mandatory?: boolean;
  /**
   * Do not wait for a connection: rejects at once with `BusUnavailable` while the broker is down, with
   * `Unconfirmed` when the connection is lost before the confirm.
   */
  urgent?: boolean;
};

export type SubscribeOptions = {
  /** Consumers of the same queue share its messages; each queue gets a copy. */
  queue: string;
  /** Routing key to bind, or `#` for all. */
  key: string;
  /** Maximum of unacknowledged messages; 1 by default. */
  prefetch?: number;
};

/**
 * The message bus: at least once, per queue in order of publication (with prefetch 1). A handler that
 * rejects gets the message again, at most `MAX_ATTEMPTS` times; then the message is a dead letter. A
 * rejection with `Unavailable` is retried for 20 minutes before it counts as an attempt. RabbitMQ delivers
 * the unacknowledged messages of a lost process or connection again, which does not count either.
 */
export type Bus = {
  /**
   * Resolves when the bus confirms the message (see `topics.confirm`). Rejects with `Unroutable`,
   * `MessageTooLarge`, `NotStored`, or a ZodError for a wrong payload; with `BusFull` when the in-process
   * queue or the publisher's buffer stays full; with `BusUnavailable` when the broker stays unreachable or refuses
   * the message; with `Unconfirmed` when a sent message is not confirmed in time.
   */
  publish<N extends TopicName>(
    topic: N,
    payload: Payload<N>,
    options: PublishOptions,
  ): Promise<void>;
  subscribe<N extends TopicName>(
    topic: N,
    options: SubscribeOptions,
    handle: (payload: Payload<N>, delivery: Delivery) => Promise<void>,
  ): Promise<Subscription>;
  /**
   * Number of consumers of a queue. Null when unknown, or when the bus rejects a mandatory message to a
   * queue without consumers.
   */
  readers(queue: string): Promise<number | null>;
  /** Messages that no consumer could take. */
  dead: DeadLetters;
  /** Sets the store for dead letters; no effect on a bus with its own (RabbitMQ). */
  keepDeadIn(store: DeadLetterStore): void;
  /**
   * Whether a message can be published now, as far as known without a round trip; false as well while the broker
   * leaves messages unconfirmed for 2 s or longer.
   */
  isUp(): boolean;
  /** Messages that wait in the queues that this process reads; those that do not answer are absent. */
  waiting(): Promise<readonly QueueLength[]>;
  /** Names of the parts that do not work now, checked with the broker; empty when all work. */
  missing(): Promise<string[]>;
  /** Stops delivery, waits (bounded) for running handlers, drops what remains in memory. */
  close(): Promise<void>;
};

export type QueueLength = { queue: string; messages: number };

export type Subscription = { cancel(): Promise<void> };

export const MAX_ATTEMPTS = 4;

/** Largest JSON body of a message unless its topic sets `maxBytes`. */
export const MAX_BODY_BYTES = 1024 ** 2;

export class Unroutable extends Error {
  override readonly name = 'Unroutable';
}

/** The message may or may not have been stored: the publisher must not treat it as refused. */
export class Unconfirmed extends Error {
  override readonly name = 'Unconfirmed';
}

/** The body is larger than its topic allows; the publisher has to split it. */
export class MessageTooLarge extends Error {
  override readonly name = 'MessageTooLarge';
}

/** The broker takes no messages now; this one was not stored. */
export class BusUnavailable extends Error {
  override readonly name = 'BusAway';
}

/** The handler failed, or the bus closed, and no dead letter could be kept: the message is lost. */
export class NotStored extends Error {
  override readonly name = 'NotKept';
}

export class BusFull extends Error {
  override readonly name = 'BusFull';
}
