import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { createApp } from '../../src/start/platform.ts';
import { readSettings } from '../../src/start/settings.ts';
import { onboard } from '../support/devices/plant.ts';
import { type Pgbouncer, startPgbouncer } from '../support/neighbours/pgbouncer.ts';
import { startWorld } from '../support/world/app.ts';
import { type FreshDatabase, freshDatabase } from '../support/world/database.ts';
import { testEnvironment } from '../support/world/environment.ts';

let database: FreshDatabase;
let pooler: Pgbouncer | undefined;
beforeEach(async () => {
  database = await freshDatabase('empty');
});
afterEach(async () => {
  await pooler?.stop();
  pooler = undefined;
  await database.remove();
});

async function behind(poolMode: Parameters<typeof startPgbouncer>[1]) {
  pooler = await startPgbouncer(database.environment['DATABASE_URL'] ?? '', poolMode);
  return { ...database.environment, DATABASE_URL: pooler.url };
}

it('a platform behind PgBouncer in session mode works, with its role and its limits', async () => {
  const environment = await behind('session');
  const world = await startWorld({ database: { environment, remove: async () => {} } });
  try {
    await onboard(world.admin);
    const { rows } = await sql`select current_user::text as role, session_user::text as login,
      current_setting('statement_timeout') as statement,
      current_setting('idle_in_transaction_session_timeout') as idle,
      current_setting('jit') as jit`.execute(world.app.db.queries);
    const login = new URL(environment.DATABASE_URL).username;
    expect(rows).toEqual([{ role: 'svc_app', login, statement: '30s', idle: '30s', jit: 'off' }]);
    await world.app.db.ping();
  } finally {
    await world.stop();
  }
});

it.each(['transaction', 'statement'] as const)(
  'a start behind PgBouncer in %s mode is refused, with what the pooler must be',
  async (mode) => {
    const environment = { ...testEnvironment, ...(await behind(mode)) };
    await expect(createApp(readSettings(environment))).rejects.toThrow(
      'The platform needs the server itself or a pooler in session mode (pool_mode = session)',
    );
  },
);

it('options of the address cannot take away role and limits', async () => {
  const url = new URL(database.environment['DATABASE_URL'] ?? '');
  url.searchParams.set('options', '-c statement_timeout=0 -c jit=on');
  const settings = { ...testEnvironment, ...database.environment, DATABASE_URL: url.href };
  const app = await createApp(readSettings(settings));
  try {
    const { rows } = await sql`select current_user::text as role,
      current_setting('statement_timeout') as statement, current_setting('jit') as jit`.execute(
      app.db.queries,
    );
    expect(rows).toEqual([{ role: 'svc_app', statement: '30s', jit: 'off' }]);
    // A session that has lost its role is no database to work with.
    await sql.raw('reset role').execute(app.db.queries);
    await expect(app.db.ping()).rejects.toThrow('not one of the role svc_app');
  } finally {
    await app.db.close();
    await app.bus.close();
  }
});
