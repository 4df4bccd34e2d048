import { calls } from '../callers.ts';
import type { Request } from '../load.ts';
import { percentile } from '../percentile.ts';
import { NODE_OPTIONS } from '../platform/options.ts';
import { freshDirectory } from '../process.ts';
import { rounds } from '../rounds.ts';
import { type Row, row } from '../row.ts';
import { type Server, startServer } from '../server.ts';
import { devicePage, lastPage } from './requests.ts';

const FIRST = 400;
/** Not measured: the first calls after another tenant's long ones pay for what those left in memory. */
const SETTLE = 100;
const OTHERS = 5;
/** The page that begins behind 10,000 devices. */
const DEEP = 501;

/** The largest tenant; filling a million takes minutes: `BENCH_DEVICES=1000000`. */
const LARGEST = Number(process.env['BENCH_DEVICES'] ?? 100_000);
const SIZES = [1_000, 10_000, 100_000, 1_000_000].filter((size) => size <= LARGEST);
if (SIZES.length === 0) throw new Error('BENCH_DEVICES has to be at least 1000');

/** Milliseconds of pages of the device list, by the devices of the tenant; all tenants share one table. */
export async function pages(databaseUrl: string): Promise<Row[]> {
  await using ours = await startServer(new URL('../platform/tenants.ts', import.meta.url), {
    options: NODE_OPTIONS,
    args: ['/api/v3', ...SIZES.map(String)],
    env: { SVC_DATA_DIR: await freshDirectory(), DATABASE_URL: databaseUrl },
    startMs: 600_000,
  });
  const median = await rounds(
    Object.fromEntries(SIZES.map((size, at) => [size, pagesOf(ours, ours.tokens[at], size)])),
  );
  const smallest = String(SIZES[0]);
  return SIZES.flatMap((size, at) => {
    const ms = (metric: string, figure: string): Row =>
      row('rest', `${metric}-${size}-devices`, 'ms', median(String(size), figure));
    const besideSmallest = (figure: string, goal: Row['goal'] = null): Row =>
      row(
        'rest',
        `first-page-${figure}-${size}-devices`,
        'ms',
        median(String(size), figure),
        at === 0 ? null : median(smallest, figure),
        at === 0 ? null : goal,
      );
    return [
      besideSmallest('p50'),
      besideSmallest('p95', '<= 1.2'),
      ms('filtered-page-p50', 'filtered'),
      ...(size > DEEP * 20 ? [ms('page-behind-10000-p50', 'deep')] : []),
      ms('last-page-p50', 'last'),
    ];
  });
}

/** One call at a time: the database works on nothing else. */
function pagesOf(ours: Server, token: string | undefined, size: number) {
  const waits = (page: Request) => (count: number) =>
    ours.wait(page, calls(token ?? null, count), 1);
  const first = waits(devicePage());
  const filtered = waits(devicePage(1, { deviceName: '99' }));
  const deep = waits(devicePage(DEEP));
  const last = waits(devicePage(lastPage(size)));
  return async () => {
    await first(SETTLE);
    const firsts = await first(FIRST);
    return {
      p50: percentile(firsts, 0.5),
      p95: percentile(firsts, 0.95),
      filtered: percentile(await filtered(OTHERS), 0.5),
      deep: percentile(await deep(OTHERS), 0.5),
      last: percentile(await last(OTHERS), 0.5),
    };
  };
}
