import { setTimeout as sleep } from 'node:timers/promises';

import type { ChannelModel } from 'amqplib';

import { limited } from '../../kernel/clock.ts';
import { addressesOf, hostsOf } from '../../kernel/process/hosts.ts';
import { type Connection, type ConnectionOptions, openConnection } from './connection.ts';

const CLOSE_MS = 5_000;
const HEARTBEAT_S = '10';
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
 * returns it. Of several hosts in `url` the next one is tried after each loss and each failure. Rejects when none can be
 * reached at the start.
 */
export async function openLink({
  url,
  ...options
}: ConnectionOptions & { url: string }): Promise<Link> {
  const { name, clock, log } = options;
  const addresses = addressesOf(url) ?? [];
  const hosts = addresses.map((one) => {
    const address = new URL(one);
    if (!address.searchParams.has('heartbeat')) address.searchParams.set('heartbeat', HEARTBEAT_S);
    return address;
  });
  let current: Connection | null = null;
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

  /** Throws when no connection came up in `START_RETRIES` retries. */
  async function stayUp(isUp: () => void): Promise<void> {
    let wasUp = false;
    let tries = 0;
    for (let at = 0; !closing.signal.aborted; at += 1) {
      // The next one after each loss and each failure.
      const address = hosts[at % hosts.length];
      if (!address) throw new Error('there is no host');
      try {
        const connection = await openConnection(address, options, closed.promise);
        wasUp = true;
        tries = 0;
        told = '';
        current = connection;
        log.info({ link: name, host: address.host }, 'connected to RabbitMQ');
        isUp();
        for (const wake of waiting) wake(connection.model);
        const error = await connection.ended;
        current = null;
        if (!closing.signal.aborted)
          log.warn({ link: name, error }, 'the RabbitMQ connection was lost');
        await connection.discard();
      } catch (error) {
        if (closing.signal.aborted) return;
        tell(error);
        if (!wasUp && tries >= START_RETRIES * hosts.length) throw error;
      }
      const rounds = Math.floor(tries / hosts.length);
      const pause = Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** rounds);
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
    throw new Error(`RabbitMQ at ${hostsOf(addresses)} cannot be used`, { cause: error });
  }

  return {
    answers: async () => (await current?.answers()) ?? false,
    holds: (model) => current?.model === model,
    async up(waitMs) {
      if (current) return current.model;
      const { promise, resolve } = Promise.withResolvers<ChannelModel>();
      waiting.add(resolve);
      const model = await limited(clock, waitMs, promise);
      waiting.delete(resolve);
      return model ?? null;
    },
    renew(model, reason) {
      if (current?.model === model) current.lose(reason);
    },
    async close() {
      current = null;
      closing.abort();
      closed.resolve(new Error('it is not needed any more'));
      await limited(clock, CLOSE_MS, staying);
    },
  };
}
