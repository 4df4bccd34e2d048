import type { ChannelModel, ConfirmChannel } from 'amqplib';

import type { Clock } from '../../kernel/clock.ts';
import { limited } from '../../kernel/limited.ts';
import type { Log } from '../../kernel/log/log.ts';
import { BusAway, BusFull, Unconfirmed, Unroutable } from '../bus.ts';

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
    : new BusAway('the broker does not take messages');

export type Publisher = {
  /** To be called on every new connection: opens the channel and sends unconfirmed messages again. */
  attach(model: ChannelModel, lost: (reason: string) => void): Promise<void>;
  publish(message: Outgoing): Promise<void>;
  /** Whether the broker takes messages now: false as well once a message stays unconfirmed for 2 s. */
  isUp(): boolean;
  /** Whether a quorum queue confirms a message within 2 s; concurrent callers share one. */
  confirms(): Promise<boolean>;
  /** Resolves when no message is unconfirmed. */
  idle(): Promise<void>;
  /** Rejects all unconfirmed messages and all later ones. */
  end(): void;
};

type Given = {
  clock: Clock;
  log: Log;
  /** Name of the queue that `confirms` publishes to. */
  pulse: string;
};

/** Publishes with confirms; holds a bounded number of unconfirmed messages. */
// oxlint-disable-next-line max-lines-per-function
export function createPublisher({ clock, log, pulse }: Given): Publisher {
  const open = new Map<string, Open>();
  const waiting: (() => void)[] = [];
  const idlers: (() => void)[] = [];
  let openBytes = 0;
  let channel: ConfirmChannel | null = null;
  let blocked = false;
  /** The channel on which a message had no confirm in time, until a pulse has one. */
  let silent: ConfirmChannel | null = null;
  let confirming: Promise<boolean> | null = null;
  let ended = false;
  let count = 0;

  const hasRoom = (bytes: number): boolean =>
    open.size === 0 || (open.size < MAX_OPEN && openBytes + bytes <= MAX_OPEN_BYTES);

  async function room(bytes: number, until: number): Promise<void> {
    while (!hasRoom(bytes)) {
      if (waiting.length >= MAX_WAITING) throw new BusFull('too many messages wait for the broker');
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const cancel = clock.after(Math.max(0, until - clock.now()), () => {
        waiting.splice(waiting.indexOf(resolve), 1);
        reject(new BusFull('the broker does not keep up'));
      });
      waiting.push(resolve);
      await promise.finally(cancel);
    }
  }

  function send(id: string, message: Open): void {
    const to = channel;
    if (!to || blocked) return;
    const { exchange, key, body, messageId, mandatory, expiresAt } = message;
    const answered = (error: unknown): void => {
      if (open.get(id) !== message || message.sentOn !== to) return;
      if (message.returned)
        return message.settle(new Unroutable(`no queue takes ${exchange} ${key}`));
      if (!error) return message.settle(null);
      // Channel lost: `attach` sends the message again. Refused by a full queue: retried here.
      if (channel !== to) return;
      message.sentOn = null;
      clock.after(REFUSED_RETRY_MS, () => {
        if (open.get(id) === message && message.sentOn === null) sendHeld(id, message);
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
  function sendHeld(id: string, message: Open): void {
    if (message.expiresAt === null || message.expiresAt > clock.now()) send(id, message);
    else message.settle(unanswered(message));
  }

  const isLate = ({ sentOn, sentAt }: Open): boolean =>
    sentOn === channel && clock.now() - sentAt >= CONFIRM_MS;

  const isUp = (): boolean =>
    channel !== null && !blocked && silent !== channel && !open.values().some(isLate);

  async function beat(to: ConfirmChannel): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    try {
      to.publish('', pulse, Buffer.alloc(0), {}, (error: unknown) => resolve(!error));
    } catch {
      return false;
    }
    const isConfirmed = (await limited(clock, CONFIRM_MS, promise)) ?? false;
    if (channel !== to) return false;
    if (isConfirmed && silent === to) log.info({}, 'RabbitMQ confirms messages again');
    if (isConfirmed) silent = null;
    else fallSilent(to);
    return isConfirmed;
  }

  const confirms = (): Promise<boolean> => {
    if (!channel || blocked) return Promise.resolve(false);
    return (confirming ??= beat(channel).finally(() => {
      confirming = null;
    }));
  };

  /** From here on pulses are sent until one is confirmed. */
  function fallSilent(to: ConfirmChannel): void {
    if (silent !== to) log.warn({}, 'RabbitMQ confirms no messages: its queues may lack a quorum');
    silent = to;
    clock.after(PULSE_RETRY_MS, () => {
      if (silent === to && channel === to && !ended) void confirms();
    });
  }

  const sendAll = (): void => {
    for (const [id, message] of open) if (message.sentOn !== channel) sendHeld(id, message);
  };

  return {
    async attach(model, lost) {
      model.on('blocked', (reason) => {
        blocked = true;
        log.warn({ reason }, 'RabbitMQ takes no messages: its memory or disk is short');
      });
      model.on('unblocked', () => {
        blocked = false;
        log.info({}, 'RabbitMQ takes messages again');
        sendAll();
      });
      const opened = await model.createConfirmChannel();
      opened.on('error', (error) => log.warn({ error }, 'the publishing channel failed'));
      opened.on('return', ({ properties }) => {
        const message = open.get(String(properties.correlationId));
        if (message) message.returned = true;
      });
      // Runs before the nacks that amqplib makes up when a channel ends: those are no refusals.
      opened.prependListener('close', () => {
        if (channel !== opened) return;
        channel = null;
        for (const message of open.values())
          if (message.urgent) message.settle(unanswered(message));
        lost('the publishing channel was closed');
      });
      blocked = false;
      channel = opened;
      sendAll();
    },

    async publish(message) {
      if (ended) throw new Unroutable('the bus is closed');
      if (message.urgent && !isUp()) throw new BusAway('the broker cannot be reached now');
      const until = clock.now() + WAIT_MS;
      await room(message.body.length, until);
      if (ended) throw new Unroutable('the bus is closed');
      const id = String((count += 1));
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const entry: Open = {
        ...message,
        sentOn: null,
        sentAt: 0,
        inDoubt: false,
        returned: false,
        settle(error) {
          cancel();
          open.delete(id);
          openBytes -= message.body.length;
          waiting.shift()?.();
          if (open.size === 0) for (const wake of idlers.splice(0)) wake();
          if (error) reject(error);
          else resolve();
        },
      };
      const left = Math.max(1, until - clock.now());
      const cancel = clock.after(left, () => {
        if (channel && isLate(entry)) fallSilent(channel);
        entry.settle(unanswered(entry));
      });
      open.set(id, entry);
      openBytes += message.body.length;
      send(id, entry);
      return promise;
    },

    isUp,
    confirms,

    idle() {
      if (open.size === 0) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      idlers.push(resolve);
      return promise;
    },

    end() {
      ended = true;
      channel = null;
      for (const message of open.values()) message.settle(unanswered(message));
    },
  };
}
