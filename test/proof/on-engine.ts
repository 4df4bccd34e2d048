import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { databaseUrl, dropDatabase, withServer } from '../support/world/template.ts';

/** The embedded one, and PostgreSQL where `DATABASE_URL` says so. */
export const engines = (): string[] =>
  process.env['DATABASE_URL'] ? ['embedded', 'postgres'] : ['embedded'];

/** Runs `work` with the environment of an empty database of its own. */
export async function onEngine<T>(
  engine: string,
  work: (environment: Record<string, string>) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-proof-'));
  const url = process.env['DATABASE_URL'];
  const database = `svc_proof_${process.pid}`;
  const environment: Record<string, string> = { SVC_DATA_DIR: directory };
  if (engine === 'postgres' && url) {
    await withServer(url, (client) => client.query(`create database ${database}`));
    environment['DATABASE_URL'] = databaseUrl(url, database);
  }
  try {
    return await work(environment);
  } finally {
    if (engine === 'postgres' && url) await dropDatabase(url, database);
    await rm(directory, { recursive: true, force: true });
  }
}

/** Runs `work` on each engine with a bench of its own, which is closed whatever becomes of it. */
export async function onEngines<B extends { close(): Promise<unknown> }>(
  open: (environment: Record<string, string>) => Promise<B>,
  work: (bench: B, engine: string) => Promise<void>,
): Promise<void> {
  for (const engine of engines()) {
    await onEngine(engine, async (environment) => {
      const bench = await open(environment);
      try {
        await work(bench, engine);
      } finally {
        await bench.close();
      }
    });
  }
}
