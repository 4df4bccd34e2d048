import { calls, callersOf } from '../callers.ts';
import type { Request } from '../load.ts';
import { NODE_OPTIONS } from '../platform/options.ts';
import { freshDirectory } from '../process.ts';
import { rounds } from '../rounds.ts';
import { type Row, row } from '../row.ts';
import { startServer } from '../server.ts';

const CALLS = 4_000;
const WARM_UP = 8_000;

const ping = (prefix: string): Request => ({ method: 'GET', path: `${prefix}/ping`, headers: {} });
const open = ping('/open');
const closed = ping('/closed');

/** CPU that authentication and authorization add to a request of a caller that the gateway has seen before. */
export async function gateway(): Promise<Row[]> {
  await using server = await startServer(new URL('./routes.ts', import.meta.url), {
    options: NODE_OPTIONS,
    env: { SVC_DATA_DIR: await freshDirectory() },
  });
  // The same bytes to both: the open route gets the token too.
  const { busy } = callersOf(server);
  const cpuOf = async (request: Request, count = CALLS): Promise<number> =>
    (await server.measure(request, calls(busy, count))).cpu;

  for (const request of [open, closed]) await cpuOf(request, WARM_UP);
  const median = await rounds({
    both: async () => {
      const before = await cpuOf(open);
      const first = await cpuOf(closed);
      const second = await cpuOf(closed);
      const after = await cpuOf(open);
      const without = (before + after) / 2;
      const authenticated = (first + second) / 2;
      return { without, authenticated, added: authenticated - without };
    },
  });
  return [
    row('gateway', 'auth-cpu-us', 'us', median('both', 'added'), null, '<= 60'),
    row(
      'gateway',
      'authenticated-route',
      'us',
      median('both', 'authenticated'),
      median('both', 'without'),
    ),
  ];
}
