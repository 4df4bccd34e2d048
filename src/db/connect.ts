import { CamelCasePlugin, Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';

import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { openEmbedded } from './embedded/engine.ts';
import { migrate } from './migrate.ts';
import type { Schema } from './schema.ts';

/** The role every query of the application runs as: it owns nothing and cannot bypass row security. */
export const APP_ROLE = 'svc_app';

const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 30_000;

export type Queries = Kysely<Schema>;

/** The database behind its tenant context: use `inTenant` or `acrossTenants` (tenant.ts) to query. */
export type Database = {
  engine: 'embedded' | 'postgres';
  queries: Queries;
  /** Round trip to the engine; throws when it is not there. */
  ping(): Promise<void>;
  close(): Promise<void>;
};

type Options = { databaseUrl: string | null; dataDir: string; clock: Clock; log: Log };

/** Opens PostgreSQL, or the embedded engine when no URL is given, migrated and as the application role. */
export async function connect(options: Options): Promise<Database> {
  return options.databaseUrl === null
    ? connectEmbedded(options)
    : connectServer(options.databaseUrl, options);
}

async function connectServer(connectionString: string, { log }: Options): Promise<Database> {
  const owner = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  owner.on('error', (error) => log.warn({ error }, 'the migration connection was lost'));
  await owner.connect();
  try {
    await migrate(owner, log);
  } finally {
    await owner.end();
  }
  const pool = new pg.Pool({
    connectionString,
    max: 10,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    options: `-c role=${APP_ROLE}`,
  });
  return open('postgres', pool, log, async () => {});
}

async function connectEmbedded({ dataDir, clock, log }: Options): Promise<Database> {
  const engine = await openEmbedded({ dataDir, clock, log });
  // One session in all: the pool hands it out to one transaction at a time.
  const pool = new pg.Pool({
    ...engine.poolConfig,
    max: 1,
    connectionTimeoutMillis: STATEMENT_TIMEOUT_MS,
    idleTimeoutMillis: 0,
  });
  pool.on('error', (error) => log.error({ error }, 'the embedded database connection failed'));
  const client = await pool.connect();
  try {
    await migrate(client, log);
    await client.query(`set role ${APP_ROLE}`);
  } finally {
    client.release();
  }
  return open('embedded', pool, log, () => engine.close());
}

async function open(
  engine: Database['engine'],
  pool: pg.Pool,
  log: Log,
  closeEngine: () => Promise<void>,
): Promise<Database> {
  if (engine === 'postgres') {
    pool.on('error', (error) => log.warn({ error }, 'an idle database connection was lost'));
  }
  const queries: Queries = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  });
  await refusePowerfulRole(queries);
  return {
    engine,
    queries,
    ping: async () => {
      await sql`select 1`.execute(queries);
    },
    close: async () => {
      await queries.destroy();
      await closeEngine();
    },
  };
}

/** Row-level security is the second wall between tenants; a role that can climb it is refused. */
async function refusePowerfulRole(queries: Queries): Promise<void> {
  const { rows } = await sql<{ name: string; powerful: boolean }>`
    select current_user::text as name, (rolsuper or rolbypassrls) as powerful
    from pg_roles where rolname = current_user`.execute(queries);
  if (rows[0]?.powerful !== false) {
    throw new Error(`The database role ${rows[0]?.name ?? '?'} could bypass row-level security`);
  }
}
