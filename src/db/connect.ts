import type { Worker } from 'node:worker_threads';

import { Kysely, sql } from 'kysely';
import pg from 'pg';

import type { Clock } from '../kernel/clock.ts';
import { Unavailable } from '../kernel/errors.ts';
import { ConfigError } from '../kernel/process/config.ts';
import type { Log } from '../kernel/process/log.ts';
import { createQueue, type Queue } from '../kernel/queue.ts';
import type { Schema } from './schema.ts';
import { migrate, type Preparation } from './schema/migrate.ts';
import { type Notices, noticesOfPool, noticesOfServer } from './server/notices.ts';
import {
  APP_ROLE,
  demandOwnSessions,
  prepareSession,
  STATEMENT_TIMEOUT_MS,
} from './server/server-session.ts';
import { createServers } from './server/servers.ts';
import { tripDialect } from './trip/dialect.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** A start on a busy machine imports for longer than a connection takes. */
const FIRST_CONNECT_TIMEOUT_MS = 30_000;
const UNANSWERED = 'The database does not answer now';
/** Trips that are made up at a time: more than a pool has connections, so that none of them waits for one. */
const TRIPS_AHEAD = 16;
/** A new connection has to prepare its statements anew: a caller after a short silence must not pay for that. */
const IDLE_CONNECTION_MS = 600_000;

export type Queries = Kysely<Schema>;

/** The database behind row-level security: use `inTenant` or `acrossTenants` (tenant.ts) to query. */
export type Database = {
  engine: 'embedded' | 'postgres';
  queries: Queries;
  /**
   * Before the pool: the statements of a thousand trips that wait for ten connections would be eighty megabytes.
   */
  queue: Queue;
  /** One after the other: transactions that were refused again and again, as the facts of their calls had changed. */
  repetitions: Queue;
  notices: Notices;
  /** Connections of the pool, and transactions that wait for one. */
  load(): { busy: number; idle: number; waiting: number };
  /** Round trip to the engine; throws when it is unreachable or read-only. */
  ping(): Promise<void>;
  close(): Promise<void>;
};

type Options = Preparation & {
  databaseUrl: string | null;
  dataDir: string;
  clock: Clock;
  log: Log;
  /** Of the embedded engine, started ahead. */
  thread?: Worker | undefined;
};

/** Opens PostgreSQL, or the embedded engine when no URL is given, migrated and as the application role. */
export async function connect(options: Options): Promise<Database> {
  return options.databaseUrl === null
    ? connectEmbedded(options)
    : connectServer(options.databaseUrl, options);
}

async function connectServer(
  connectionString: string,
  { clock, log, ...preparation }: Options,
): Promise<Database> {
  const servers = createServers(connectionString);
  const server = { connectionTimeoutMillis: CONNECT_TIMEOUT_MS };
  // Both at once: the rest of the program, which is imported meanwhile, holds the answer to a later one up.
  const first = { ...server, connectionTimeoutMillis: FIRST_CONNECT_TIMEOUT_MS };
  const opening = [servers.connect(first), servers.connect(first)] as const;
  try {
    const [owner, probe] = await Promise.all(opening);
    await demandOwnSessions(owner, probe);
    await migrate(owner, log, preparation);
    // Not before: the first migration makes the role.
    await prepareSession(probe);
  } finally {
    for (const one of opening) await one.then((client) => client.end()).catch(() => {});
  }
  const pool = new pg.Pool({
    ...server,
    Client: servers.Client,
    max: 10,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    keepAlive: true,
    // For a server that does not even answer that a statement took too long.
    query_timeout: STATEMENT_TIMEOUT_MS + CONNECT_TIMEOUT_MS,
    onConnect: async (client) => {
      await prepareSession(client).catch((error: unknown) => {
        throw error instanceof ConfigError ? new Unavailable(UNANSWERED, error) : error;
      });
      await servers.demandWrites(client);
    },
  });
  const notices = noticesOfServer(
    (config) => new servers.Client({ ...server, ...config }),
    clock,
    log,
  );
  return open('postgres', pool, {
    notices,
    clock,
    log,
    waitMs: CONNECT_TIMEOUT_MS,
    closeEngine: async () => {},
  });
}

async function connectEmbedded({
  dataDir,
  clock,
  log,
  thread,
  ...preparation
}: Options): Promise<Database> {
  const { openEmbedded } = await import('./embedded/engine.ts');
  const engine = await openEmbedded({ dataDir, clock, log, thread });
  try {
    const owner = await connected(engine.poolConfig, log);
    await migrate(owner, log, preparation).finally(() => owner.end());
    // One session in all: the pool hands it out to one transaction at a time, or to trips that travel together.
    const pool = new pg.Pool({
      ...engine.poolConfig,
      connectionTimeoutMillis: STATEMENT_TIMEOUT_MS,
      // The engine has no timers of its own: its thread goes on, the caller does not wait for it.
      query_timeout: STATEMENT_TIMEOUT_MS,
      options: `-c role=${APP_ROLE}`,
    });
    const notices = noticesOfPool(pool, log);
    return await open('embedded', pool, {
      notices,
      clock,
      log,
      waitMs: STATEMENT_TIMEOUT_MS,
      closeEngine: () => engine.close(),
    });
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** A connection of its own, as the owner of the tables; the caller ends it. */
async function connected(owner: pg.ClientConfig, log: Log): Promise<pg.Client> {
  const client = new pg.Client(owner);
  client.on('error', (error) => log.warn({ error }, 'a connection of the start was lost'));
  await client.connect();
  return client;
}

async function open(
  engine: Database['engine'],
  pool: pg.Pool,
  {
    notices,
    clock,
    log,
    waitMs,
    closeEngine,
  }: { notices: Notices; clock: Clock; log: Log; waitMs: number; closeEngine(): Promise<void> },
): Promise<Database> {
  const lost = (error: Error): void => log.warn({ error }, 'a database connection was lost');
  // Only idle clients report errors to the pool; an unhandled one of a client in use ends the process.
  pool.on('error', lost).on('connect', (client) => client.on('error', lost));
  const queries: Queries = new Kysely<Schema>({ dialect: tripDialect(pool) });
  demandBound(await stateOf(queries));
  const limits = { waitMs, refusal: () => new Unavailable(UNANSWERED) };
  const queue = createQueue(clock, { ...limits, atOnce: TRIPS_AHEAD });
  return {
    engine,
    queries,
    queue,
    repetitions: createQueue(clock, { ...limits, atOnce: 1 }),
    notices,
    load: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount + queue.waiting(),
    }),
    ping: () => demandWritable(queries),
    close: async () => {
      await notices.close();
      await queries.destroy();
      await closeEngine();
    },
  };
}

/** Throws Unavailable while the engine takes no writes, or row-level security does not bind its session. */
export async function demandWritable(queries: Queries): Promise<void> {
  const state = await stateOf(queries);
  demandBound(state);
  if (state.readOnly) throw new Unavailable('The database is read-only now');
}

type State = { readOnly: boolean; isBound: boolean };

async function stateOf(queries: Queries): Promise<State> {
  const { rows } = await sql<State>`
    select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as read_only,
      current_user = ${APP_ROLE} and not (rolsuper or rolbypassrls) as is_bound
    from pg_roles where rolname = current_user`.execute(queries);
  return rows[0] ?? { readOnly: true, isBound: false };
}

/** Row-level security is the second wall between tenants; another role might bypass it. */
function demandBound({ isBound }: State): void {
  if (!isBound) throw new Unavailable(`The database session is not one of the role ${APP_ROLE}`);
}
