import { setTimeout as sleep } from 'node:timers/promises';

import { Kysely } from 'kysely';
import pg from 'pg';

import { connect, type Database } from '../../../../src/db/connect.ts';
import { openEmbedded } from '../../../../src/db/embedded/engine.ts';
import type { Schema } from '../../../../src/db/schema.ts';
import { APP_ROLE } from '../../../../src/db/server/server-session.ts';
import { tripDialect } from '../../../../src/db/trip/dialect.ts';
import { systemClock } from '../../../../src/kernel/clock.ts';
import { createLog } from '../../../../src/kernel/process/log.ts';

/** A slot is taken once per tenant, which only the commit looks at. */
const TABLE = `
  create table proof_row (
    id bigint generated always as identity primary key,
    tenant_id bigint not null,
    marker text not null unique,
    slot bigint,
    note text not null default '',
    unique (tenant_id, slot) deferrable initially deferred
  );
  call svc_protect('proof_row')`;

const STATEMENT_TIMEOUT_MS = 300;
/** Of a statement that the server does not end by itself; the embedded engine ends none. */
const QUERY_TIMEOUT_MS = 500;
export const TOO_LONG_S = 0.7;

export type Disturbance = 'pg_cancel_backend' | 'pg_terminate_backend';

/** A database whose pool holds one connection, with a table of its own. */
export type Site = {
  db: Database;
  /** Does it to the back-end of the connection, whatever it is at; null where it is a part of this process. */
  disturb: ((how: Disturbance) => Promise<void>) | null;
  close(): Promise<void>;
};

type Environment = Record<string, string>;

const log = createLog('silent');

export async function openSite(environment: Environment): Promise<Site> {
  const { DATABASE_URL: url, SVC_DATA_DIR: dataDir = '' } = environment;
  const options = { databaseUrl: url ?? null, dataDir, clock: systemClock, log };
  const migrated = await connect(options);
  await migrated.close();
  return url === undefined ? embeddedSite(dataDir) : serverSite(url);
}

async function embeddedSite(dataDir: string): Promise<Site> {
  const engine = await openEmbedded({ dataDir, clock: systemClock, log });
  const owner = new pg.Client(engine.poolConfig);
  await owner.connect();
  await owner.query(TABLE);
  await owner.end();
  const db = databaseOf('embedded', engine.poolConfig);
  return {
    db,
    disturb: null,
    async close() {
      await db.close();
      await engine.close();
    },
  };
}

async function serverSite(connectionString: string): Promise<Site> {
  const owner = new pg.Client({ connectionString });
  await owner.connect();
  await owner.query(TABLE);
  const name = 'isolation';
  const db = databaseOf('postgres', {
    connectionString,
    application_name: name,
    statement_timeout: STATEMENT_TIMEOUT_MS,
  });
  return {
    db,
    async disturb(how) {
      await owner.query(
        `select ${how}(pid) from pg_stat_activity
          where datname = current_database() and application_name = $1`,
        [name],
      );
    },
    async close() {
      await db.close();
      await owner.end();
    },
  };
}

const atOnce: Database['queue'] = Object.assign(<T>(work: () => Promise<T>) => work(), {
  waiting: () => 0,
});

function databaseOf(engine: Database['engine'], config: pg.PoolConfig): Database {
  const pool = new pg.Pool({
    ...config,
    max: 1,
    query_timeout: QUERY_TIMEOUT_MS,
    options: `-c role=${APP_ROLE}`,
  });
  const lost = (): void => {};
  pool.on('error', lost).on('connect', (client) => client.on('error', lost));
  const queries = new Kysely<Schema>({
    dialect: tripDialect(pool),
  });
  const notices = { subscribe() {}, close: () => sleep(0) };
  return {
    engine,
    queries,
    notices,
    queue: atOnce,
    repetitions: atOnce,
    load: () => ({ busy: 0, idle: 0, waiting: 0 }),
    ping: () => sleep(0),
    close: () => queries.destroy(),
  };
}
