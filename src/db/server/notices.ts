import type pg from 'pg';

import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/process/log.ts';
import { prepareSession } from './server-session.ts';

/** What is announced: commits of tenants (sql/0257_feed.sql), sessions that a process has changed, turns of the chat. */
export type Channel = 'svc_feed' | 'svc_session' | 'svc_turn';
const LISTEN = 'listen svc_feed; listen svc_session; listen svc_turn';
const RETRY_MS = 1_000;
/** A connection that a firewall or a fail-over left half open is found by asking. */
const ASK_EVERY_MS = 20_000;

/**
 * Gets what was announced: in the feed the id of a tenant (0: all tenants) in which something was committed. null: some
 * may have been missed.
 */
type Heard = (announced: string | null) => void;

/** What any process commits and announces, as soon as it is committed. */
export type Notices = {
  /** Calls `heard` from now on; with null once at the beginning and after each interruption. */
  subscribe(heard: Heard, channel?: Channel): void;
  close(): Promise<void>;
};

/** Those that hear of each channel. */
function hearers() {
  const hearing = new Set<{ hear: Heard; channel: string }>();
  return {
    add: (hear: Heard, channel: Channel = 'svc_feed') => hearing.add({ hear, channel }),
    /** With null for `announced`, those of all channels. */
    tell(channel: string, announced: string | null): void {
      for (const one of hearing)
        if (announced === null || one.channel === channel) one.hear(announced);
    },
  };
}

/** On a connection of its own, opened by the first `subscribe` and again whenever it is lost. */
export function noticesOfServer(
  connection: (config: pg.ClientConfig) => pg.Client,
  clock: Clock,
  log: Log,
): Notices {
  let client: pg.Client | null = null;
  const hearing = hearers();
  let isClosed = false;
  let cancel = (): void => {};

  async function open(): Promise<void> {
    const opened = connection({ keepAlive: true, query_timeout: ASK_EVERY_MS });
    let isLost = false;
    const lose = (error?: unknown): void => {
      if (isLost || isClosed) return;
      isLost = true;
      log.warn({ error }, 'the connection for notices was lost, retrying');
      void end(opened);
      cancel();
      cancel = clock.after(RETRY_MS, () => void open());
    };
    client = opened;
    opened.on('error', lose).on('end', lose);
    opened.on('notification', ({ channel, payload }) => hearing.tell(channel, payload ?? null));
    try {
      await opened.connect();
      await prepareSession(opened);
      await opened.query(LISTEN);
      cancel = clock.every(ASK_EVERY_MS, async () => {
        await opened.query('select 1').catch(lose);
      });
      hearing.tell('', null);
    } catch (error) {
      lose(error);
    }
  }

  return {
    subscribe(hear, channel) {
      hearing.add(hear, channel);
      if (client === null) void open();
      else hear(null);
    },
    async close() {
      isClosed = true;
      cancel();
      if (client) await end(client);
    },
  };
}

/** Whatever state it is in. */
const end = (client: pg.Client): Promise<void> => client.end().catch(() => {});

/** On the one session of the embedded engine, which hears its own commits. */
export function noticesOfPool(pool: pg.Pool, log: Log): Notices {
  const hearing = hearers();
  pool.on('connect', (client) => {
    client.on('notification', ({ channel, payload }) => hearing.tell(channel, payload ?? null));
    client
      .query(LISTEN)
      .then(() => hearing.tell('', null))
      .catch((error: unknown) => log.warn({ error }, 'the database gives no notices'));
  });
  return {
    subscribe(hear, channel) {
      hearing.add(hear, channel);
      hear(null);
    },
    close: async () => {},
  };
}
