import { performance } from 'node:perf_hooks';

import { z } from 'zod';

import { freshDatabases } from '../database.ts';
import { freshDirectory, next, start as startProcess, stop } from '../process.ts';
import { rounds } from '../rounds.ts';
import { type Row, row } from '../row.ts';
import { olderTree } from './older.ts';
import { settledStartOf, startOf } from './platform.ts';

const OURS = new URL('../../../', import.meta.url);
const YARDSTICK = new URL('./yardstick.ts', import.meta.url);

/** Most memory at rest. */
const IDLE_MB: Record<string, Row['goal']> = { embedded: '<= 280', postgres: '<= 150' };

/** The environment of a platform on a new database, and the same database as the yardstick names it. */
type Fresh = { data: Record<string, string>; where: string };

/**
 * From starting the process to a platform that can work, beside the database alone and, with
 * `BENCH_BESIDE`, beside an older revision; and the memory of a platform that then does nothing.
 */
export async function start(): Promise<Row[]> {
  await using databases = await freshDatabases(process.env['DATABASE_URL']);
  const engines: Record<string, () => Promise<Fresh>> = {
    embedded: freshEmbedded,
    ...(databases && { postgres: () => freshServer(databases) }),
  };
  const revision = process.env['BENCH_BESIDE'];
  const older = revision ? await olderTree(revision) : null;
  const median = await rounds(
    Object.fromEntries(
      Object.entries(engines).flatMap(([engine, fresh]) => [
        [engine, async () => platform(OURS, fresh)],
        ...(older ? [[`${engine} older`, async () => platform(older, fresh)]] : []),
        [`${engine} bare`, async () => bare(await fresh())],
      ]),
    ),
  );
  return Object.keys(engines).flatMap((engine) => {
    const figure = (
      name: string,
      unit: string,
      against?: string,
      goal: Row['goal'] = null,
    ): Row => {
      const limit = against ? median(`${engine} ${against}`, name) : null;
      const metric = `${name}-${engine}${against === 'older' ? `-vs-${revision}` : ''}`;
      return row('start', `${metric}-${unit}`, unit, median(engine, name), limit, goal);
    };
    return [
      figure('first', 's', 'bare'),
      figure('cold', 's', 'bare'),
      figure('warm', 's', 'bare'),
      figure('idle', 'mb', undefined, IDLE_MB[engine]),
      ...(older
        ? [
            figure('first', 's', 'older'),
            figure('cold', 's', 'older', '<= 0.75'),
            figure('warm', 's', 'older', '<= 0.75'),
            figure('idle', 'mb', 'older'),
          ]
        : []),
    ];
  });
}

const freshEmbedded = async (): Promise<Fresh> => {
  const where = await freshDirectory();
  return { data: { SVC_DATA_DIR: where }, where };
};

async function freshServer(databases: { make(): Promise<string> }): Promise<Fresh> {
  const where = await databases.make();
  return { data: { SVC_DATA_DIR: await freshDirectory(), DATABASE_URL: where }, where };
}

/**
 * Seconds of the first start ever, of one on a new database by a program that ran before, and of the second
 * on that database; MB after the last.
 */
async function platform(tree: URL, fresh: () => Promise<Fresh>) {
  const nothingCompiled = { NODE_COMPILE_CACHE: await freshDirectory() };
  const first = await startOf(tree, { ...(await fresh()).data, ...nothingCompiled });
  const { data } = await fresh();
  const cold = await startOf(tree, data);
  const { seconds: warm, megabytes: idle } = await settledStartOf(tree, data);
  return { first, cold, warm, idle };
}

/** The yardstick compiles hardly anything: its first start is its cold one. */
async function bare({ where }: Fresh) {
  const cold = await bareStart('cold', where);
  return { first: cold, cold, warm: await bareStart('warm', where) };
}

/** Seconds from the start of the yardstick to its word that the database is there. */
async function bareStart(temperature: 'cold' | 'warm', where: string): Promise<number> {
  const began = performance.now();
  const child = startProcess(YARDSTICK, { args: [temperature, where] });
  try {
    await next(child, z.literal('ready'));
    return (performance.now() - began) / 1_000;
  } finally {
    await stop(child);
  }
}
