import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import { sql } from 'kysely';

import { inTenant } from '../../../src/db/tenant.ts';
import { startWorld, type World } from '../../support/world/app.ts';
import { freshDatabases } from '../database.ts';
import { freshDirectory } from '../process.ts';
import type { Row } from '../row.ts';

/** A way to store data: starts a platform on a new database, and gives the planner its statistics. */
export type Engine = { begin(): Promise<World>; settle(worlds: readonly World[]): Promise<void> };

const SETTLED_WITHIN_MS = 60_000;

/** What is measured on a platform of its own of each engine that there is here. */
export async function onEachEngine(
  measure: (world: World, name: string, engine: Engine) => Promise<Row[]>,
): Promise<Row[]> {
  await using databases = await freshDatabases(process.env['DATABASE_URL']);
  const directories: string[] = [];
  const embedded = async () => {
    const directory = await freshDirectory();
    directories.push(directory);
    return { SVC_DATA_DIR: directory };
  };
  const engines: Record<string, Engine> = {
    embedded: {
      begin: () => begun(embedded()),
      settle: async (worlds) => {
        for (const world of worlds) await maintained(world);
      },
    },
    ...(databases && {
      postgres: {
        begin: () => begun(databases.make().then((url) => ({ DATABASE_URL: url }))),
        settle: () => databases.settle(),
      },
    }),
  };
  const rows: Row[] = [];
  for (const [name, engine] of Object.entries(engines)) {
    const world = await engine.begin();
    try {
      rows.push(...(await measure(world, name, engine)));
    } finally {
      await world.stop();
    }
  }
  for (const directory of directories) await rm(directory, { recursive: true });
  return rows;
}

async function begun(environment: Promise<Record<string, string>>): Promise<World> {
  const database = { environment: await environment, remove: () => Promise.resolve() };
  return startWorld({ database, environment: { SVC_DEMO: 'off' } });
}

/** Waits for the engine's own maintenance, which would else meet the middle of a measurement. */
async function maintained({ app, admin }: World): Promise<void> {
  for (let waited = 0; waited < SETTLED_WITHIN_MS; waited += 1_000) {
    const { rows } = await inTenant(app.db, admin.tenantId, (q) =>
      sql<{ waiting: number }>`select count(*)::int as waiting from pg_class c where c.relkind = 'r'
        and greatest(pg_stat_get_mod_since_analyze(c.oid), pg_stat_get_ins_since_vacuum(c.oid))
          > 1000 + 0.2 * pg_stat_get_live_tuples(c.oid)`.execute(q),
    );
    if (rows[0]?.waiting === 0) return;
    await sleep(1_000);
  }
  throw new Error('the maintenance of the embedded database did not come to an end');
}
