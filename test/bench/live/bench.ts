import { z } from 'zod';

import { freshDatabases } from '../database.ts';
import { NODE_OPTIONS } from '../platform/options.ts';
import { freshDirectory, next, start, stop } from '../process.ts';
import { rounds } from '../rounds.ts';
import { type Row, row } from '../row.ts';
import { Figures } from './question.ts';

const SERVER = new URL('./server.ts', import.meta.url);
const START_MS = 300_000;
const ROUND_MS = 240_000;
const FEW = 100;
const HALF = 250;
const MANY = 500;

/** What consoles with 50 live points each cost the server, and how long a value takes to them. */
export async function live(): Promise<Row[]> {
  await using databases = await freshDatabases(process.env['DATABASE_URL']);
  const engines = { embedded: {}, ...(databases && { postgres: await databases.make() }) };
  const rows: Row[] = [];
  for (const [name, databaseUrl] of Object.entries(engines)) {
    const env = {
      SVC_DATA_DIR: await freshDirectory(),
      ...(typeof databaseUrl === 'string' && { DATABASE_URL: databaseUrl }),
    };
    const server = start(SERVER, { env, options: NODE_OPTIONS });
    await next(server, z.literal('ready'), START_MS);
    const withConsoles = (consoles: number) => () => {
      const answer = next(server, Figures, ROUND_MS);
      server.send({ consoles });
      return answer;
    };
    const median = await rounds({
      few: withConsoles(FEW),
      half: withConsoles(HALF),
      many: withConsoles(MANY),
    });
    await stop(server);
    /** Milliseconds of CPU per second. */
    const each = (what: string): number => median(what, 'each') / 1_000;
    const flat = (what: string, consoles: number): Row =>
      row(
        'live',
        `cpu-per-console-${MANY}-vs-${consoles}-${name}`,
        'ms/s',
        each('many'),
        each(what),
        '<= 1.2',
      );
    rows.push(
      flat('few', FEW),
      flat('half', HALF),
      row('live', `values-told-${name}`, '1/s', median('many', 'told')),
      row('live', `p50-received-to-read-${name}`, 'ms', median('many', 'p50')),
      row('live', `p99-received-to-read-${name}`, 'ms', median('many', 'p99'), null, '<= 2000'),
    );
  }
  return rows;
}
