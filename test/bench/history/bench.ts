import { performance } from 'node:perf_hooks';

import { sql } from 'kysely';

import { digests } from '../../../src/data/digest/digests.ts';
import { trend } from '../../../src/data/digest/trend.ts';
import { columnsOf } from '../../../src/data/history/columns.ts';
import { acrossTenants } from '../../../src/db/tenant.ts';
import { closeAll, counted } from '../../support/runs/history/values.ts';
import type { World } from '../../support/world/app.ts';
import { agentIn } from '../../tools/agent.ts';
import { percentile } from '../percentile.ts';
import { type Row, row } from '../row.ts';
import { type Engine, onEachEngine } from '../rules/engine.ts';
import { type Tenant, tenantWith } from '../rules/tenant.ts';
import { DAY_MS, fill, type Name, names, pointsOf } from './series.ts';

const HOUR_MS = 3_600_000;
const TURNS = 20;

/** What closed hours cost on the disk, to make and to read. */
export const history = (): Promise<Row[]> => onEachEngine(measured);

async function measured(world: World, engine: string, { settle }: Engine): Promise<Row[]> {
  const tenant = await tenantWith(world, 'year', 1);
  const { tenantId } = tenant.session;
  const points = await pointsOf(tenant);
  const to = Math.floor(world.clock.now() / HOUR_MS) * HOUR_MS;
  const rows: Row[] = [];
  let closedBytes = await bytesOf(world, CLOSED);
  for (const part of ['numbers', 'text'] as const) {
    const before = await bytesOf(world, ROWS);
    let count = 0;
    for (const name of names.filter((each) => (each === 'text') === (part === 'text')))
      count += await fill(world, tenant, { name, pointId: points[name], to });
    const hot = (await bytesOf(world, ROWS)) - before;
    await settle([world]);
    const begin = performance.now();
    await closeAll(world, tenantId, to);
    const seconds = (performance.now() - begin) / 1_000;
    const left = await counted(world, tenantId);
    if (left?.hot !== 0) throw new Error(`${left?.hot} values are not closed`);
    const after = await bytesOf(world, CLOSED);
    const bytes = (after - closedBytes) / count;
    const goal = part === 'numbers' ? '<= 5' : null;
    rows.push(row('history', `bytes-${part}-${engine}`, 'B', bytes, null, goal));
    if (part === 'numbers') {
      rows.push(row('history', `bytes-rows-${engine}`, 'B', hot / count));
      const counts = await bytesOf(world, COUNTS);
      rows.push(row('history', `bytes-of-counts-of-an-hour-${engine}`, 'B', counts / (365 * 24)));
    }
    if (part === 'numbers')
      rows.push(row('history', `close-values-${engine}`, '/s', count / seconds));
    closedBytes = after;
  }
  await settle([world]);
  for (const name of names)
    rows.push(
      row('history', `columns-${name}-${engine}`, 'B', await payloadOf(world, points[name])),
    );
  return [...rows, ...(await reads(world, engine, { tenant, points, to }))];
}

const ROWS = sql`c.relname like 'svc\\_point\\_value%'`;
const CLOSED = sql`c.relname = 'svc_value_hour'`;
/** Of a tenant, whatever the number of its points. */
const COUNTS = sql`c.relname = 'svc_value_delay'`;

const bytesOf = (world: World, tables: typeof ROWS): Promise<number> =>
  acrossTenants(world.app.db, 'doctor', async (q) => {
    const { rows } = await sql<{ bytes: number }>`
      select coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8 as bytes from pg_class c
      where c.relkind = 'r' and ${tables}`.execute(q);
    return rows[0]?.bytes ?? 0;
  });

const payloadOf = (world: World, pointId: string): Promise<number> =>
  acrossTenants(world.app.db, 'doctor', async (q) => {
    const { rows } = await sql<{ bytes: number }>`
      select (sum(octet_length(hour))::float8 / sum(value_count)) as bytes from svc_value_hour
      where point_id = ${pointId}`.execute(q);
    return rows[0]?.bytes ?? NaN;
  });

type Closed = { tenant: Tenant; points: Record<Name, string>; to: number };

async function reads(world: World, engine: string, { tenant, points, to }: Closed): Promise<Row[]> {
  const { session, plant } = tenant;
  const series = { tenantId: session.tenantId, deviceId: plant.deviceId, pointId: points.regular };
  const pair = { deviceId: plant.deviceId, pointId: points.regular };
  const { app } = world;
  const agent = agentIn(session);
  const back = (days: number) => ({ from: to - days * DAY_MS, to });
  const read = (days: number) => () => columnsOf(app, series, back(days));
  const asked = [
    ['read-week-ms', '<= 10', read(7)],
    ['read-month-ms', '<= 15', read(31)],
    ['read-year-ms', '<= 80', read(365)],
    ['digest-30-days-ms', '<= 25', () => digests(app, agent, { pairs: [pair], ...back(30) })],
    [
      'trend-year-ms',
      '<= 30',
      () => trend(app, agent, { pairs: [pair], ...back(365), parts: 600 }),
    ],
  ] as const;
  const rows: Row[] = [];
  for (const [metric, goal, ask] of asked) {
    const waits: number[] = [];
    for (let turn = 0; turn < TURNS + 3; turn += 1) {
      const begin = performance.now();
      await ask();
      if (turn >= 3) waits.push(performance.now() - begin);
    }
    rows.push(row('history', `${metric}-${engine}`, 'ms', percentile(waits, 0.95), null, goal));
  }
  return rows;
}
