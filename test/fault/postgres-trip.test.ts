import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { connect, type Database } from '../../src/db/connect.ts';
import { inOneTrip, inTenant } from '../../src/db/tenant.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { Unavailable } from '../../src/kernel/errors.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { freshDatabase } from '../support/world/database.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared } from '../support/world/prepared.ts';

const TENANT = '101';

describe('a trip whose session the server ended', () => {
  let db: Database;
  let owner: pg.Client;
  const database = prepared(() => freshDatabase('migrated'));
  beforeAll(async () => {
    const databaseUrl = database.environment['DATABASE_URL'] ?? null;
    const log = createLog('silent');
    db = await connect({ databaseUrl, dataDir: '', clock: systemClock, log });
    owner = new pg.Client({ connectionString: databaseUrl ?? '' });
    await owner.connect();
  });
  afterAll(async () => {
    await owner?.end();
    await db?.close();
    await database?.remove();
  });

  const pid = () =>
    inOneTrip(db, TENANT, async (q) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(q);
      return rows[0]?.pid ?? 0;
    });
  const isAsleep = async (): Promise<boolean> => {
    const { rowCount } = await owner.query(
      `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
    );
    return rowCount === 1;
  };

  it.each([
    ['in one trip', inOneTrip],
    ['in a transaction', inTenant],
  ])('is followed by others at once: %s', async (_name, transact) => {
    const before = await pid();
    // The pool gives the connection that came back last.
    const after = transact(db, TENANT, (q) => sql`select pg_sleep(20)`.execute(q)).catch(
      async (error: unknown) => [error, await pid()],
    );
    await eventually(isAsleep, (asleep) => asleep);
    await owner.query('select pg_terminate_backend($1)', [before]);
    const [error, now] = z.tuple([z.instanceof(Unavailable), z.number()]).parse(await after);
    expect(error.cause).toMatchObject({ code: '57P01' });
    expect(now).not.toBe(before);
  });
});
