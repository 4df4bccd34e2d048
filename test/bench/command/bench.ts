import { z } from 'zod';

import { freeUdpPort } from '../../support/neighbours/free-port.ts';
import { freshDatabases } from '../database.ts';
import { percentile } from '../percentile.ts';
import { NODE_OPTIONS } from '../platform/options.ts';
import { ask, freshDirectory, next, start, stop } from '../process.ts';
import { rounds } from '../rounds.ts';
import { type Row, row } from '../row.ts';
import { openExchange } from './exchange.ts';
import { ENDPOINT } from './thermostat.ts';

const PLATFORM = new URL('./platform.ts', import.meta.url);
const DEVICE = new URL('../../../driver/simulator/main.ts', import.meta.url);
const WRITES = 100;
const WARM_UP = 200;

const Started = z.object({ port: z.number() });
const Waits = z.object({ accepted: z.array(z.number()), verified: z.array(z.number()) });

/** A write through the whole platform, beside the exchange with the device that it stands for. */
export async function command(): Promise<Row[]> {
  await using databases = await freshDatabases(process.env['DATABASE_URL']);
  const engines: Record<string, Record<string, string>> = {
    embedded: {},
    ...(databases && { postgres: { DATABASE_URL: await databases.make() } }),
  };
  const rows: Row[] = [];
  for (const [engine, env] of Object.entries(engines)) rows.push(...(await written(engine, env)));
  return rows;
}

async function written(engine: string, env: Record<string, string>): Promise<Row[]> {
  const platform = start(PLATFORM, {
    options: NODE_OPTIONS,
    env: { ...env, SVC_DATA_DIR: await freshDirectory() },
  });
  const { port: server } = await next(platform, Started, START_MS);
  const port = await freeUdpPort();
  const device = start(DEVICE, {
    args: ['--endpoint', ENDPOINT, '--server', `127.0.0.1:${server}`, '--port', String(port)],
  });
  await ask(platform, 'register', z.literal('registered'));
  const bare = await openExchange(port);
  const writes = (count: number) => ask(platform, count, Waits);

  await writes(WARM_UP);
  await bare.times(WARM_UP);
  const median = await rounds({
    ours: async () => {
      const { accepted, verified } = await writes(WRITES);
      return {
        accepted: percentile(accepted, 0.5),
        p50: percentile(verified, 0.5),
        p95: percentile(verified, 0.95),
      };
    },
    bare: async () => {
      const times = await bare.times(WRITES);
      return { p50: percentile(times, 0.5), p95: percentile(times, 0.95) };
    },
  });
  bare.close();
  await stop(device);
  await stop(platform);
  const roundTrip = (figure: string): Row =>
    row(
      'command',
      `round-trip-${figure}-${engine}`,
      'ms',
      median('ours', figure),
      median('bare', figure),
    );
  return [
    row('command', `accepted-p50-${engine}`, 'ms', median('ours', 'accepted')),
    roundTrip('p50'),
    roundTrip('p95'),
  ];
}

/** A first start of the platform and the onboarding of the device. */
const START_MS = 120_000;
