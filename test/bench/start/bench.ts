import { performance } from 'node:perf_hooks';

import { z } from 'zod';

import { freshDirectory, next, start as startProcess, stop } from '../process.ts';
import { rounds } from '../rounds.ts';
import { type Row, row } from '../row.ts';
import { freshDatabases } from './database.ts';
import { freePort, untilReady } from './ready.ts';

const MAIN = new URL('../../../src/main.ts', import.meta.url);
const YARDSTICK = new URL('./yardstick.ts', import.meta.url);

/** Seconds from starting the process to a platform that can work, beside the database alone. */
export async function start(): Promise<Row[]> {
  await using databases = await freshDatabases(process.env['DATABASE_URL']);
  const median = await rounds({
    ours: async () => {
      const SVC_DATA_DIR = await freshDirectory();
      return { cold: await platform({ SVC_DATA_DIR }), warm: await platform({ SVC_DATA_DIR }) };
    },
    yardstick: async () => {
      const directory = await freshDirectory();
      return { cold: await bare(['cold', directory]), warm: await bare(['warm', directory]) };
    },
    ...(databases && {
      oursServer: async () => {
        const SVC_DATA_DIR = await freshDirectory();
        return { cold: await platform({ SVC_DATA_DIR, DATABASE_URL: await databases.make() }) };
      },
      yardstickServer: async () => ({ cold: await bare(['cold', await databases.make()]) }),
    }),
  });
  const compared = (metric: string, figure: string, own: string, limit: string): Row =>
    row('start', metric, 's', median(own, figure), median(limit, figure));
  return [
    compared('cold-embedded-s', 'cold', 'ours', 'yardstick'),
    compared('warm-embedded-s', 'warm', 'ours', 'yardstick'),
    ...(databases ? [compared('cold-postgres-s', 'cold', 'oursServer', 'yardstickServer')] : []),
  ];
}

/** Seconds from the start of `serve` to the first 200 of `/readyz`. */
async function platform(data: Record<string, string>): Promise<number> {
  const port = await freePort();
  const began = performance.now();
  const child = startProcess(MAIN, {
    args: ['serve'],
    env: {
      SVC_ENV: 'test',
      SVC_DEMO: 'off',
      SVC_PORT: String(port),
      LWM2M_HOST: '127.0.0.1',
      LWM2M_PORT: '0',
      SVC_SECRET_KEY: 'bench-secret-key-0123456789-0123456789',
      AUTH_HMAC_SECRET: 'bench-hmac-secret',
      SVC_ADMIN_PASSWORD: 'correct horse 42',
      ...data,
    },
  });
  try {
    await untilReady(child, port);
    return seconds(began);
  } finally {
    await stop(child);
  }
}

/** Seconds from the start of the yardstick to its word that the database is there. */
async function bare(args: readonly string[]): Promise<number> {
  const began = performance.now();
  const child = startProcess(YARDSTICK, { args });
  try {
    await next(child, z.literal('ready'));
    return seconds(began);
  } finally {
    await stop(child);
  }
}

const seconds = (began: number): number => (performance.now() - began) / 1000;
