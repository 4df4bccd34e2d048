import type { ChannelModel, ConfirmChannel } from 'amqplib';

import { type Clock, limited } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/process/log.ts';
import { Waiting } from '../../kernel/queue.ts';
import { BusFull, BusUnavailable, Unconfirmed, Unroutable } from '../bus.ts';

/** Bounds of unconfirmed messages, which are sent again after a lost connection. */
const MAX_OPEN = 1_000;
const MAX_OPEN_BYTES = 64 * 1024 ** 2;
const MAX_WAITING = 10_000;
const WAIT_MS = 10_000;
const REFUSED_RETRY_MS = 200;
/** A broker whose queues have no quorum opens channels and takes messages, and confirms none. */
const CONFIRM_MS = 2_000;
const PULSE_RETRY_MS = 1_000;

type Outgoing = {
  exchange: string;
  key: string;
  body: Buffer;
  messageId: string;
  mandatory: boolean;
  urgent: boolean;
  /** Milliseconds since the epoch, by the publisher's clock. */
  expiresAt: number | null;
};

type Open = Outgoing & {
  /** Channel of the last write; null when the broker certainly does not have the message. */
  sentOn: ConfirmChannel | null;
  /** Time of the last write. */
  sentAt: number;
  /** Written to a channel that was lost before the confirm. */
  inDoubt: boolean;
  returned: boolean;
  settle(error: Error | null): void;
};

/** The broker may have a message that was written without a confirm. */
const unanswered = ({ sentOn, inDoubt }: Open): Error =>
  inDoubt || sentOn !== null
    ? new Unconfirmed('the broker did not answer in time')
    : new BusUnavailable('the broker does not take messages');

type Given = {
  clock: Clock;
  log: Log;
  /** Name of the queue that `confirms` publishes to. */
  pulse: string;
};

type Parts = Given;

/** Publishes with confirms; holds a bounded number of unconfirmed messages. */
export class Publisher {
  readonly #parts: Parts;
  readonly #open = new Map<string, Open>();
  readonly #waiting: Waiting;
  readonly #idlers: (() => void)[] = [];
  #openBytes = 0;
  #channel: ConfirmChannel | null = null;
  #blocked = false;
  /** The channel on which a message had no confirm in time, until a pulse has one. */
  #silent: ConfirmChannel | null = null;
  #confirming: Promise<boolean> | null = null;
  #ended = false;
  #count = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#waiting = new Waiting(parts.clock);
  }

  /** To be called on every new connection: opens the channel and sends unconfirmed messages again. */
  async attach(model: ChannelModel, lost: (reason: string) => void): Promise<void> {
    const { log } = this.#parts;
    model.on('blocked', (reason) => {
      this.#blocked = true;
      log.warn({ reason }, 'RabbitMQ takes no messages: its memory or disk is short');
    });
    model.on('unblocked', () => {
      this.#blocked = false;
      log.info({}, 'RabbitMQ takes messages again');
      this.#sendAll();
    });
    const opened = await model.createConfirmChannel();
    opened.on('error', (error) => log.warn({ error }, 'the publishing channel failed'));
    opened.on('return', ({ properties }) => {
      const message = this.#open.get(String(properties.correlationId));
      if (message) message.returned = true;
    });
    // Runs before the nacks that amqplib makes up when a channel ends: those are no refusals.
    opened.prependListener('close', () => {
      if (this.#channel !== opened) return;
      this.#channel = null;
      for (const message of this.#open.values())
        if (message.urgent) message.settle(unanswered(message));
      lost('the publishing channel was closed');
    });
    this.#blocked = false;
    this.#channel = opened;
    this.#sendAll();
  }

  async publish(message: Outgoing): Promise<void> {
    const { clock } = this.#parts;
    if (this.#ended) throw new Unroutable('the bus is closed');
    if (message.urgent && !this.isUp())
      throw new BusUnavailable('the broker cannot be reached now');
    const until = clock.now() + WAIT_MS;
    await this.#room(message.body.length, until);
    if (this.#ended) throw new Unroutable('the bus is closed');
    const id = String((this.#count += 1));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const entry: Open = {
      ...message,
      sentOn: null,
      sentAt: 0,
      inDoubt: false,
      returned: false,
      settle: (error) => {
        cancel();
        this.#open.delete(id);
        this.#openBytes -= message.body.length;
        this.#waiting.next();
        if (this.#open.size === 0) for (const wake of this.#idlers.splice(0)) wake();
        if (error) reject(error);
        else resolve();
      },
    };
    const left = Math.max(1, until - clock.now());
    const cancel = clock.after(left, () => {
      if (this.#channel && this.#isLate(entry)) this.#fallSilent(this.#channel);
      entry.settle(unanswered(entry));
    });
    this.#open.set(id, entry);
    this.#openBytes += message.body.length;
    this.#send(id, entry);
    return promise;
  }

  /** Resolves when no message is unconfirmed. */
  idle(): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idlers.push(resolve);
    return promise;
  }

  /** Rejects all unconfirmed messages and all later ones. */
  end(): void {
    this.#ended = true;
    this.#channel = null;
    for (const message of this.#open.values()) message.settle(unanswered(message));
  }

  /** Whether the broker takes messages now: false as well once a message stays unconfirmed for 2 s. */
  readonly isUp = (): boolean => {
    return (
      this.#channel !== null &&
      !this.#blocked &&
      this.#silent !== this.#channel &&
      !this.#open.values().some(this.#isLate)
    );
  };

  /** Whether a quorum queue confirms a message within 2 s; concurrent callers share one. */
  readonly confirms = (): Promise<boolean> => {
    if (!this.#channel || this.#blocked) return Promise.resolve(false);
    return (this.#confirming ??= this.#beat(this.#channel).finally(() => {
      this.#confirming = null;
    }));
  };

  readonly #hasRoom = (bytes: number): boolean => {
    return (
      this.#open.size === 0 ||
      (this.#open.size < MAX_OPEN && this.#openBytes + bytes <= MAX_OPEN_BYTES)
    );
  };

  readonly #isLate = ({ sentOn, sentAt }: Open): boolean => {
    return sentOn === this.#channel && this.#parts.clock.now() - sentAt >= CONFIRM_MS;
  };

  readonly #sendAll = (): void => {
    for (const [id, message] of this.#open)
      if (message.sentOn !== this.#channel) this.#sendHeld(id, message);
  };

  async #room(bytes: number, until: number): Promise<void> {
    const { clock } = this.#parts;
    while (!this.#hasRoom(bytes)) {
      if (this.#waiting.size >= MAX_WAITING)
        throw new BusFull('too many messages wait for the broker');
      const waitMs = Math.max(0, until - clock.now());
      await this.#waiting.turn({ waitMs }, () => new BusFull('the broker does not keep up'));
    }
  }

  #send(id: string, message: Open): void {
    const { clock, log } = this.#parts;
    const to = this.#channel;
    if (!to || this.#blocked) return;
    const { exchange, key, body, messageId, mandatory, expiresAt } = message;
    const answered = (error: unknown): void => {
      if (this.#open.get(id) !== message || message.sentOn !== to) return;
      if (message.returned)
        return message.settle(new Unroutable(`no queue takes ${exchange} ${key}`));
      if (!error) return message.settle(null);
      // Channel lost: `attach` sends the message again. Refused by a full queue: retried here.
      if (this.#channel !== to) return;
      message.sentOn = null;
      clock.after(REFUSED_RETRY_MS, () => {
        if (this.#open.get(id) === message && message.sentOn === null) this.#sendHeld(id, message);
      });
    };
    message.returned = false;
    message.inDoubt ||= message.sentOn !== null;
    message.sentOn = to;
    message.sentAt = clock.now();
    try {
      to.publish(
        exchange,
        key,
        body,
        {
          persistent: true,
          contentType: 'application/json',
          messageId,
          correlationId: id,
          mandatory,
          ...(expiresAt === null
            ? {}
            : { expiration: String(Math.max(0, expiresAt - clock.now())) }),
        },
        answered,
      );
    } catch (error) {
      // The channel is closing; the next one sends the message.
      log.debug({ error }, 'publish failed, message waits for the next channel');
    }
  }

  /** A message that expired while held is not sent. */
  #sendHeld(id: string, message: Open): void {
    if (message.expiresAt === null || message.expiresAt > this.#parts.clock.now())
      this.#send(id, message);
    else message.settle(unanswered(message));
  }

  async #beat(to: ConfirmChannel): Promise<boolean> {
    const { pulse, clock, log } = this.#parts;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    try {
      to.publish('', pulse, Buffer.alloc(0), {}, (error: unknown) => resolve(!error));
    } catch {
      return false;
    }
    const isConfirmed = (await limited(clock, CONFIRM_MS, promise)) ?? false;
    if (this.#channel !== to) return false;
    if (isConfirmed && this.#silent === to) log.info({}, 'RabbitMQ confirms messages again');
    if (isConfirmed) this.#silent = null;
    else this.#fallSilent(to);
    return isConfirmed;
  }

  /** From here on pulses are sent until one is confirmed. */
  #fallSilent(to: ConfirmChannel): void {
    const { log, clock } = this.#parts;
    if (this.#silent !== to)
      log.warn({}, 'RabbitMQ confirms no messages: its queues may lack a quorum');
    this.#silent = to;
    clock.after(PULSE_RETRY_MS, () => {
      if (this.#silent === to && this.#channel === to && !this.#ended) void this.confirms();
    });
  }
}
