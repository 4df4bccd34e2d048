import { cp } from 'node:fs/promises';

import type { freshDatabases } from '../database.ts';
import { type Plant as Filled, Plant } from '../platform/plant.ts';
import { freshDirectory, next, start } from '../process.ts';

const PREPARE = new URL('../platform/prepare.ts', import.meta.url);

/** One engine with a database that holds a plant. */
export type Engine = {
  name: 'embedded' | 'postgres';
  /** The environment of a platform on it. */
  env: Record<string, string>;
  /** Where the bare driver finds the same rows: the URL, or the directory of a copy (one process has one). */
  bare: string;
  plant: Filled;
};

type Databases = Awaited<ReturnType<typeof freshDatabases>>;

/** The embedded engine, and PostgreSQL when there is a server. */
export async function preparedEngines(databases: Databases): Promise<Engine[]> {
  const engines = [await preparedEmbedded()];
  if (databases) engines.push(await preparedServer(await databases.make()));
  return engines;
}

async function preparedEmbedded(): Promise<Engine> {
  const env = { SVC_DATA_DIR: await freshDirectory() };
  const plant = await prepare(env);
  const bare = await freshDirectory();
  await cp(env.SVC_DATA_DIR, bare, { recursive: true });
  return { name: 'embedded', env, bare, plant };
}

export async function preparedServer(url: string): Promise<Engine> {
  const env = { SVC_DATA_DIR: await freshDirectory(), DATABASE_URL: url };
  return { name: 'postgres', env, bare: url, plant: await prepare(env) };
}

const prepare = (env: Record<string, string>): Promise<Filled> =>
  next(start(PREPARE, { env }), Plant, 120_000);
