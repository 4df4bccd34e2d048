import type { DeadLetters, DeadLetterStore } from './dead-letter.ts';
import type { Payload, TopicName } from './topics.ts';

/** What a consumer knows of a message besides its payload. */
export type Delivery = {
  messageId: string;
  /** 1 for the first time this message is handed out; then it may have been handled already. */
  attempt: number;
  /** Takes the message off the queue now; otherwise it is taken off when the handler resolves. */
  ack(): void;
};

type PublishOptions = {
  /** Routing key: the driver code, tenant or whatever the topic is bound by. */
  key: string;
  messageId?: string;
  /** After this time nobody is handed the message any more. */
  ttlMs?: number;
  /**
   * Reject with `Unroutable` when nobody can get the message: in-process without a listening consumer,
   * on RabbitMQ without a queue for the key (`keeping.idleMs` removes those nobody reads).
   */
  mandatory?: boolean;
  /**
   * Wait for no broker: rejects at once with `BusAway` while there is none, and with `Unconfirmed` when it
   * is lost before its answer.
   */
  urgent?: boolean;
};

export type SubscribeOptions = {
  /** Consumers of the same queue share its messages; each queue gets a copy. */
  queue: string;
  /** The routing key to bind, or `#` for all. */
  key: string;
  /** Messages handed out and not yet acknowledged. */
  prefetch?: number;
};

/**
 * The message bus: at least once, per queue in order of publication (with prefetch 1). A handler
 * that rejects gets the message again, at most `MAX_ATTEMPTS` times; then it is a dead letter. One that
 * rejects with `Unavailable` could not work at all: it gets the message again for 20 minutes before that
 * counts. What was not acknowledged when a process or a connection died is handed out again, and that
 * does not count.
 */
export type Bus = {
  /**
   * Resolves when the bus answers for the message (see `topics.confirm`). Rejects with `Unroutable`,
   * with `BusFull` when the queue stays full, with `BusAway` when the broker stays out of reach (neither
   * was sent), with `Unconfirmed` when it was sent and the broker did not answer for it in time, and with a ZodError
   * for a payload that is not its topic's.
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
   * How many consumers read a queue now. Null when that is not known, or when the bus refuses a mandatory
   * message to a queue without one.
   */
  readers(queue: string): Promise<number | null>;
  /** Messages that no consumer could take. */
  dead: DeadLetters;
  /** From now on dead letters are kept there, by a bus that has no place of its own for them. */
  keepDeadIn(store: DeadLetterStore): void;
  /** Whether a message can be published now, as far as is known without asking. */
  isUp(): boolean;
  /** What of it does not work now, asked of the broker: empty when all does. */
  missing(): Promise<string[]>;
  /** Stops handing out, waits for handlers that run (bounded), drops the rest. */
  close(): Promise<void>;
};

export type Subscription = { cancel(): Promise<void> };

export const MAX_ATTEMPTS = 4;

/** What a message may be as JSON where its topic does not say otherwise. */
export const MAX_BODY_BYTES = 1024 ** 2;

export class Unroutable extends Error {
  override readonly name = 'Unroutable';
}

/** The message may or may not arrive: the publisher must not take it for refused. */
export class Unconfirmed extends Error {
  override readonly name = 'Unconfirmed';
}

/** The body is larger than its topic allows: the publisher has to split it. */
export class MessageTooLarge extends Error {
  override readonly name = 'MessageTooLarge';
}

/** No broker takes messages now; this one was not sent. */
export class BusAway extends Error {
  override readonly name = 'BusAway';
}

/** Its consumer failed at the message, and it could not be kept as a dead letter: it is lost. */
export class NotKept extends Error {
  override readonly name = 'NotKept';
}

export class BusFull extends Error {
  override readonly name = 'BusFull';
}
