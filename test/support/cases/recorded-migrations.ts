import pg from 'pg';

import { openEmbedded } from '../../../src/db/embedded/engine.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createLog } from '../../../src/kernel/process/log.ts';

/** Works on an embedded database as its owner, without a migration. */
async function asOwner<T>(
  dataDir: string,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const log = createLog('silent');
  const engine = await openEmbedded({ dataDir, clock: systemClock, log, thread: undefined });
  const pool = new pg.Pool({ ...engine.poolConfig, max: 1 });
  try {
    const client = await pool.connect();
    try {
      return await work(client);
    } finally {
      client.release();
    }
  } finally {
    await pool.end();
    await engine.close();
  }
}

/** The names of the applied migrations, in their order. */
export const recordedMigrations = (dataDir: string): Promise<string[]> =>
  asOwner(dataDir, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      'select name from svc_migration order by name',
    );
    return rows.map(({ name }) => name);
  });

/** Leaves the schema as it is, with other names of applied migrations, as a version before the baseline wrote them. */
export const recordOnly = (dataDir: string, names: readonly string[]): Promise<void> =>
  asOwner(dataDir, async (client) => {
    await client.query('delete from svc_migration');
    for (const name of names)
      await client.query('insert into svc_migration (name) values ($1)', [name]);
  });
