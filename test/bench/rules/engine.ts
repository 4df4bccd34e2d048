import { rm } from 'node:fs/promises';

import { startWorld, type World } from '../../support/world/app.ts';
import { freshDatabases } from '../database.ts';
import { freshDirectory } from '../process.ts';
import type { Row } from '../row.ts';

/** A way to store data: starts a platform on a new database, and gives the planner its statistics. */
export type Engine = { begin(): Promise<World>; settle(): Promise<void> };

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
    embedded: { begin: () => begun(embedded()), settle: async () => {} },
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
