import { calls } from '../callers.ts';
import { freshDatabases } from '../database.ts';
import { preparedServer } from '../engine/prepared.ts';
import { jsonRequest, type Request } from '../load.ts';
import { toolCall } from '../mcp/request.ts';
import { percentile } from '../percentile.ts';
import { NODE_OPTIONS } from '../platform/options.ts';
import { rounds } from '../rounds.ts';
import { type Row, row } from '../row.ts';
import { type Server, startServer } from '../server.ts';
import { DAY_VALUES, fillValues, MONTH_VALUES } from './values.ts';

const OURS = new URL('../platform/ours.ts', import.meta.url);
const BARE = new URL('./bare.ts', import.meta.url);
const CALLS = 20;
/** Not measured. */
const SETTLE = 5;
const DAY_MS = 86_400_000;

/** A digest of stored values, beside the bare driver that reads the same rows; only with PostgreSQL. */
export async function query(): Promise<Row[]> {
  await using stack = new AsyncDisposableStack();
  const databases = await freshDatabases(process.env['DATABASE_URL']);
  if (!databases) return [];
  stack.use(databases);
  const { env, bare, plant } = await preparedServer(await databases.make());
  const to = Date.now();
  const points = await fillValues(bare, to);
  const ours = stack.use(
    await startServer(OURS, { args: ['/mcp', '1'], env, options: NODE_OPTIONS }),
  );
  const yardstick = stack.use(
    await startServer(BARE, { message: { bare, tenantId: plant.tenantId } }),
  );
  const digest = (pointId: string, days: number, plot = false): Request =>
    toolCall('getPointValueHistory', {
      deviceId: plant.deviceId,
      pointId,
      from: new Date(to - days * DAY_MS).toISOString(),
      to: new Date(to).toISOString(),
      plot,
    });
  const plain = (pointId: string, days: number): Request =>
    jsonRequest('/', { deviceId: plant.deviceId, pointId, from: to - days * DAY_MS, to });

  const median = await rounds({
    day: timed(ours, digest(points.day, 1)),
    'day bare': timed(yardstick, plain(points.day, 1)),
    month: timed(ours, digest(points.month, 30)),
    'month bare': timed(yardstick, plain(points.month, 30)),
    plot: timed(ours, digest(points.day, 1, true)),
    peak: timed(ours, digest(points.peak, 1)),
  });
  const beside = (name: string, own: string, limit: string): Row[] => [
    row('query', `${name}-p50`, 'ms', median(own, 'p50'), median(limit, 'p50')),
    row('query', `${name}-cpu`, 'ms', median(own, 'cpu'), median(limit, 'cpu')),
  ];
  return [
    ...beside(`digest-24h-${DAY_VALUES}`, 'day', 'day bare'),
    row('query', `digest-24h-${DAY_VALUES}-p95`, 'ms', median('day', 'p95'), null, '<= 50'),
    ...beside(`digest-30d-${MONTH_VALUES}`, 'month', 'month bare'),
    row('query', `digest-30d-${MONTH_VALUES}-p95`, 'ms', median('month', 'p95')),
    ...beside('plot-png', 'plot', 'day'),
    ...beside('digest-one-peak', 'peak', 'day'),
  ];
}

/** One call at a time; `measure` refuses an answer that differs from the first one. */
function timed(server: Server, request: Request) {
  const [token = null] = server.tokens;
  return async () => {
    await server.wait(request, calls(token, SETTLE), 1);
    const waits = await server.wait(request, calls(token, CALLS), 1);
    const { cpu } = await server.measure(request, calls(token, SETTLE));
    return { p50: percentile(waits, 0.5), p95: percentile(waits, 0.95), cpu: cpu / 1_000 };
  };
}
