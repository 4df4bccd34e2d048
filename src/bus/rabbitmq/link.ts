import { type ChannelModel, connect } from 'amqplib';

import type { Clock } from '../../core/clock.ts';
import { limited } from '../../core/limited.ts';
import type { Log } from '../../core/log.ts';

const CONNECT_MS = 10_000;
const CLOSE_MS = 5_000;
const HEARTBEAT_S = '10';
const ANSWER_MS = 2_000;
/** About half a minute: a broker that starts beside us is awaited, a wrong address is told. */
const START_RETRIES = 10;

/** A connection that comes back by itself, with growing waits of at most 2 s. */
export type Link = {
  /** The connection once it is up, or null after `waitMs`. */
  up(waitMs: number): Promise<ChannelModel | null>;
  /** Whether the broker answers on it within 2 s; one that is short of memory or disk does not. */
  answers(): Promise<boolean>;
  /** Whether `model` is the connection that is in use. */
  holds(model: ChannelModel): boolean;
  /** Gives this connection up for a new one: how a part that was lost alone is made again. */
  renew(model: ChannelModel, reason: string): void;
  close(): Promise<void>;
};

/**
 * Resolves when connected and `setup` is done, which runs again on every new connection before anybody
 * else gets it. Rejects when the broker stays out of reach at the start.
 */
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
  // What keeps it down is told once, not with every try.
  let told = '';
  const tell = (error: Error): void => {
    if (told !== error.message) log.warn({ link: name, error }, 'RabbitMQ cannot be reached');
    told = error.message;
  };

  /** Connections that lost a part, with the reason; also before they are in use. */
  const incomplete = new WeakMap<ChannelModel, string>();
  const giveUp = (model: ChannelModel): void => {
    if (current !== model) return;
    current = null;
    const reason = incomplete.get(model);
    log.warn({ link: name, reason }, 'the RabbitMQ connection is made anew');
    model.close().catch((error: unknown) => log.debug({ error }, 'it was closed already'));
  };

  const renew = (model: ChannelModel, reason: string): void => {
    incomplete.set(model, reason);
    // Parts also end because their connection did: that is told, and mended, elsewhere.
    setImmediate(() => giveUp(model));
  };

  const link = await connect(address.href, {
    timeout: CONNECT_MS,
    noDelay: true,
    keepAlive: true,
    clientProperties: { connection_name: name },
    recovery: {
      initialDelay: 200,
      maxDelay: 2_000,
      initialMaxRetries: START_RETRIES,
      waitForConnect: false,
      async setup(model: ChannelModel) {
        // An error without a listener would end the process; the loss itself is told by `disconnect`.
        model.on('error', (error) =>
          log.warn({ link: name, error }, 'a RabbitMQ connection failed'),
        );
        await setup(model, (reason) => renew(model, reason));
      },
    },
  });
  link.on('error', () => {});
  link.on('connect-failed', tell);
  link.on('disconnect', (error) => {
    current = null;
    log.warn({ link: name, error }, 'the RabbitMQ connection was lost');
  });
  link.on('connect', (model) => {
    told = '';
    current = model;
    if (incomplete.has(model)) return giveUp(model);
    log.info({ link: name }, 'connected to RabbitMQ');
    for (const wake of waiting) wake(model);
  });
  try {
    await link.waitForConnect();
  } catch (error) {
    throw new Error(`RabbitMQ at ${address.host} cannot be used`, { cause: error });
  }

  /** Opening a channel is a round trip. */
  async function ask(model: ChannelModel): Promise<boolean> {
    try {
      const channel = await model.createChannel();
      channel.on('error', () => {});
      await channel.close();
      return true;
    } catch (error) {
      log.debug({ link: name, error }, 'RabbitMQ did not open a channel');
      return false;
    }
  }
  let asking: Promise<boolean> | null = null;

  return {
    // Those that ask meanwhile share one question: one that is not answered must not pile up channels.
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
      await limited(clock, CLOSE_MS, link.close());
    },
  };
}
