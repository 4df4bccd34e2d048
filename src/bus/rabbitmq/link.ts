import { setTimeout as sleep } from 'node:timers/promises';

import { type ChannelModel, connect } from 'amqplib';

import type { Clock } from '../../kernel/clock.ts';
import { limited } from '../../kernel/limited.ts';
import type { Log } from '../../kernel/log/log.ts';
import { closeChannel } from './close-channel.ts';

const CONNECT_MS = 10_000;
const SETUP_MS = 30_000;
const CLOSE_MS = 5_000;
const HEARTBEAT_S = '10';
const ANSWER_MS = 2_000;
const FIRST_PAUSE_MS = 200;
const LAST_PAUSE_MS = 2_000;
/** About half a minute: waits for a broker that starts at the same time, then reports a wrong address. */
const START_RETRIES = 10;

/** A connection that is opened again after a loss, with growing waits of at most 2 s. */
export type Link = {
  /** The connection once it is up, or null after `waitMs`. */
  up(waitMs: number): Promise<ChannelModel | null>;
  /** Whether the broker answers within 2 s; a broker short of memory or disk does not. */
  answers(): Promise<boolean>;
  /** Whether `model` is the connection in use. */
  holds(model: ChannelModel): boolean;
  /** Replaces this connection by a new one, to restore a channel that was lost alone. */
  renew(model: ChannelModel, reason: string): void;
  close(): Promise<void>;
};

/**
 * Resolves when connected and `setup` is done; `setup` runs again on every new connection before `up`
 * returns it. Rejects when the broker stays out of reach at the start.
 */
// oxlint-disable-next-line max-lines-per-function
export async function openLink({
  url,
  name,
  clock,
  log,
  setup,
}: {
  url: string;
  name: string;
  clock: Clock;
  log: Log;
  setup(model: ChannelModel, lost: (reason: string) => void): Promise<void>;
}): Promise<Link> {
  const address = new URL(url);
  if (!address.searchParams.has('heartbeat')) address.searchParams.set('heartbeat', HEARTBEAT_S);
  let current: ChannelModel | null = null;
  const waiting = new Set<(model: ChannelModel) => void>();
  // A repeated failure is logged once, not with every try.
  let told = '';
  const tell = (error: unknown): void => {
    const text = error instanceof Error ? error.message : String(error);
    if (told !== text) log.warn({ link: name, error }, 'RabbitMQ cannot be reached');
    told = text;
  };

  const closing = new AbortController();
  const closed = Promise.withResolvers<Error>();
  /** Ends each connection, with the reason. */
  const ends = new WeakMap<ChannelModel, (reason: Error) => void>();

  const renew = (model: ChannelModel, reason: string): void => {
    // Deferred: when the connection itself closed, its own reason has to settle first.
    setImmediate(() => ends.get(model)?.(new Error(reason)));
  };

  /** Bounded, because the broker may be gone before it answers. */
  const discard = (model: ChannelModel): Promise<unknown> =>
    limited(clock, CLOSE_MS, model.close()).catch((error: unknown) =>
      log.debug({ link: name, error }, 'RabbitMQ connection already closed'),
    );

  /**
   * A connection after `setup`, with the promise of its end. The library leaves a request unsettled when
   * its connection ends before the answer, so `setup` is raced against the end.
   */
  async function open(): Promise<{ model: ChannelModel; end: Promise<Error> }> {
    const model = await connect(address.href, {
      timeout: CONNECT_MS,
      noDelay: true,
      keepAlive: true,
      clientProperties: { connection_name: name },
    });
    const ended = Promise.withResolvers<Error>();
    ends.set(model, ended.resolve);
    model.on('close', (error?: Error) => ended.resolve(error ?? new Error('it was closed')));
    // An error event without a listener would end the process; `end` reports the loss itself.
    model.on('error', (error) => log.warn({ link: name, error }, 'a RabbitMQ connection failed'));
    const end = Promise.race([ended.promise, closed.promise]);
    const done = setup(model, (reason) => renew(model, reason)).then(() => null);
    const failure = await limited(clock, SETUP_MS, Promise.race([done, end])).catch(
      (error: unknown) => error,
    );
    if (failure === null) return { model, end };
    done.catch((error: unknown) => log.debug({ link: name, error }, 'RabbitMQ set-up abandoned'));
    await discard(model);
    throw failure ?? new Error('the broker does not answer while a connection is set up');
  }

  /** Throws when no connection came up in `START_RETRIES` retries. */
  async function stayUp(isUp: () => void): Promise<void> {
    let wasUp = false;
    let tries = 0;
    while (!closing.signal.aborted) {
      try {
        const { model, end } = await open();
        wasUp = true;
        tries = 0;
        told = '';
        current = model;
        log.info({ link: name }, 'connected to RabbitMQ');
        isUp();
        for (const wake of waiting) wake(model);
        const error = await end;
        current = null;
        if (!closing.signal.aborted)
          log.warn({ link: name, error }, 'the RabbitMQ connection was lost');
        await discard(model);
      } catch (error) {
        if (closing.signal.aborted) return;
        tell(error);
        if (!wasUp && tries >= START_RETRIES) throw error;
      }
      const pause = Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries);
      tries += 1;
      // Not `clock.after`: its timers do not keep the process alive, and at the start nothing else does.
      await sleep(pause * (0.8 + 0.2 * Math.random()), undefined, closing).catch(() => {});
    }
  }
  const up = Promise.withResolvers<void>();
  const staying = stayUp(up.resolve);
  try {
    await Promise.race([up.promise, staying]);
  } catch (error) {
    throw new Error(`RabbitMQ at ${address.host} cannot be used`, { cause: error });
  }

  /** Opens a channel, which is a round trip. */
  async function ask(model: ChannelModel): Promise<boolean> {
    try {
      const channel = await model.createChannel();
      channel.on('error', () => {});
      await closeChannel(channel);
      return true;
    } catch (error) {
      log.debug({ link: name, error }, 'RabbitMQ did not open a channel');
      return false;
    }
  }
  let asking: Promise<boolean> | null = null;

  return {
    // Concurrent callers share one request: an unanswered one must not pile up channels.
    async answers() {
      if (!current) return false;
      asking ??= ask(current).finally(() => {
        asking = null;
      });
      return (await limited(clock, ANSWER_MS, asking)) ?? false;
    },
    holds: (model) => current === model,
    async up(waitMs) {
      if (current) return current;
      const { promise, resolve } = Promise.withResolvers<ChannelModel>();
      waiting.add(resolve);
      const model = await limited(clock, waitMs, promise);
      waiting.delete(resolve);
      return model ?? null;
    },
    renew,
    async close() {
      current = null;
      closing.abort();
      closed.resolve(new Error('it is not needed any more'));
      await limited(clock, CLOSE_MS, staying);
    },
  };
}
