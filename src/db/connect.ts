import type { Worker } from 'node:worker_threads';

import { Kysely, sql } from 'kysely';
import pg from 'pg';

import type { Clock } from '../core/clock.ts';
import { Unavailable } from '../core/errors.ts';
import { createLine, type Line } from '../core/line.ts';
import type { Log } from '../core/log/log.ts';
import { migrate, type Preparation } from './migration/migrate.ts';
import { noticesOfPool, noticesOfServer, type Notices } from './notices.ts';
import type { Schema } from './schema.ts';
import { tripDialect } from './trip/dialect.ts';

/** The role every query of the application runs as: it owns nothing and cannot bypass row security. */
export const APP_ROLE = 'svc_app';

const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 30_000;
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
  line: Line;
  /** One after the other: transactions that were refused again and again, as the facts of their calls had changed. */
  repetitions: Line;
  notices: Notices;
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
  const server = { connectionString, connectionTimeoutMillis: CONNECT_TIMEOUT_MS };
  await migrateAs(server, log, preparation);
  // Statements are short: compiling one costs more than it saves (a trend over partitions 0.4 s beside 0.1 s).
  const asApplication = { ...server, options: `-c role=${APP_ROLE} -c jit=off` };
  const pool = new pg.Pool({
    ...asApplication,
    max: 10,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    keepAlive: true,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    // For a server that does not even answer that a statement took too long.
    query_timeout: STATEMENT_TIMEOUT_MS + CONNECT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
  });
  const notices = noticesOfServer(asApplication, clock, log);
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
    await migrateAs(engine.poolConfig, log, preparation);
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

/** Migrates as the owner of the tables, on a connection of its own that ends here. */
async function migrateAs(
  owner: pg.ClientConfig,
  log: Log,
  preparation: Preparation,
): Promise<void> {
  const client = new pg.Client(owner);
  client.on('error', (error) => log.warn({ error }, 'the migration connection was lost'));
  await client.connect();
  try {
    await migrate(client, log, preparation);
  } finally {
    await client.end();
  }
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
  await refusePowerfulRole(queries);
  return {
    engine,
    queries,
    line: createLine(clock, { atOnce: TRIPS_AHEAD, waitMs, refusal: UNANSWERED }),
    repetitions: createLine(clock, { atOnce: 1, waitMs, refusal: UNANSWERED }),
    notices,
    ping: () => demandWritable(queries),
    close: async () => {
      await notices.close();
      await queries.destroy();
      await closeEngine();
    },
  };
}

/** Throws Unavailable while the engine takes no writes. */
export async function demandWritable(queries: Queries): Promise<void> {
  const { rows } = await sql<{ readOnly: boolean }>`
    select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean
      as read_only`.execute(queries);
  if (rows[0]?.readOnly !== false) throw new Unavailable('The database is read-only now');
}

/** Row-level security is the second wall between tenants; a role that can bypass it is refused. */
async function refusePowerfulRole(queries: Queries): Promise<void> {
  const { rows } = await sql<{ name: string; powerful: boolean }>`
    select current_user::text as name, (rolsuper or rolbypassrls) as powerful
    from pg_roles where rolname = current_user`.execute(queries);
  if (rows[0]?.powerful !== false) {
    throw new Error(`The database role ${rows[0]?.name ?? '?'} could bypass row-level security`);
  }
}
