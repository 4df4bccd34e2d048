import type { ChildProcess } from 'node:child_process';

import { z } from 'zod';

import type { freshDatabases } from '../database.ts';
import { ask, freshDirectory, next, start, stop } from '../process.ts';
import { rounds } from '../rounds.ts';
import { type Row, row } from '../row.ts';
import { fillHistory } from './history.ts';
import { Figures } from './question.ts';
import { serverCpu } from './server-cpu.ts';

type Databases = Awaited<ReturnType<typeof freshDatabases>>;
type Platform = { child: ChildProcess; databaseUrl: string | null };

const OURS = new URL('../../../', import.meta.url);
const PLATFORM = new URL('./platform.ts', import.meta.url);
const FEW = 100;
const MANY = 100_000;
/** Of 100 points each. */
const DEVICES = MANY / 100;
/** No point occurs twice in a batch, also among few. */
const BATCH = { size: FEW, batches: 300 };

/** Rows of history of the larger database; 20 million take minutes and 4 GB to fill: `BENCH_ROWS=20000000`. */
const LARGER = Number(process.env['BENCH_ROWS'] ?? 1_000_000);
const SMALLER = Math.min(1_000_000, LARGER / 10);
if (!(LARGER >= 100_000)) throw new Error('BENCH_ROWS has to be at least 100000');

/** What a value costs by the number of points that are reported, and by the rows that are stored already. */
export async function sizes(databases: Databases): Promise<Row[]> {
  return [...(await byPoints(databases)), ...(databases ? await byRows(databases) : [])];
}

async function byPoints(databases: Databases): Promise<Row[]> {
  const platforms = {
    embedded: await started(null, DEVICES),
    ...(databases && { postgres: await started(await databases.make(), DEVICES) }),
  };
  const contestants: Parameters<typeof rounds>[0] = {};
  for (const [engine, platform] of Object.entries(platforms)) {
    // Each point has a latest value from here on, so that every round updates.
    await cost(platform, { size: MANY / 100, batches: 100, points: MANY });
    for (const points of [FEW, MANY])
      contestants[`${engine}-${points}`] = () => cost(platform, { ...BATCH, points });
  }
  const median = await rounds(contestants);
  for (const { child } of Object.values(platforms)) await stop(child);
  return Object.keys(platforms).map((engine) => {
    const [few, many] = [FEW, MANY].map((points) => median(`${engine}-${points}`, 'cost'));
    return row('ingest', `cost-${FEW}-vs-${MANY}-points-${engine}`, 'us', many ?? NaN, few);
  });
}

async function byRows(databases: NonNullable<Databases>): Promise<Row[]> {
  const filled = async (rows: number): Promise<Platform> => {
    const databaseUrl = await databases.make();
    const platform = await started(databaseUrl);
    await fillHistory(databaseUrl, rows);
    await cost(platform, BATCH);
    return platform;
  };
  const smaller = await filled(SMALLER);
  const larger = await filled(LARGER);
  const median = await rounds({
    smaller: () => cost(smaller, BATCH),
    larger: () => cost(larger, BATCH),
  });
  for (const { child } of [smaller, larger]) await stop(child);
  const metric = `cost-${short(SMALLER)}-vs-${short(LARGER)}-rows`;
  return [row('ingest', metric, 'us', median('larger', 'cost'), median('smaller', 'cost'))];
}

/** On PostgreSQL with a URL, else embedded. */
async function started(databaseUrl: string | null, devices = 50): Promise<Platform> {
  const env = {
    SVC_DATA_DIR: await freshDirectory(),
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  };
  const child = start(PLATFORM, { args: [OURS.href, String(devices)], env });
  await next(child, z.literal('ready'), START_MS);
  return { child, databaseUrl };
}

type Asked = { size: number; batches: number; points?: number };

/** Microseconds of CPU per value, of the platform and of what serves it in the database. */
async function cost({ child, databaseUrl }: Platform, asked: Asked) {
  const served = async () => (databaseUrl ? serverCpu(databaseUrl) : 0);
  const before = await served();
  const { cpu } = await ask(child, asked, Figures);
  const database = ((await served()) - before) / (asked.size * asked.batches);
  return { cost: cpu + database, platform: cpu, database };
}

const short = (rows: number): string => (rows < 1e6 ? `${rows / 1e3}k` : `${rows / 1e6}m`);

/** A first start of the platform and the onboarding of a thousand devices. */
const START_MS = 300_000;
