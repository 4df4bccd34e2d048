import { sql } from 'kysely';
import { z } from 'zod';

import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerId, IsoTime } from '../../kernel/entity/answer.ts';
import { input } from '../../kernel/input/input.ts';
import { type Cell, cellsOf, filled, lastDays, lastHours, placeIn } from './calendar.ts';
import { clamped, rangeOf, rangeStart } from './range.ts';

/** Where the bins of a delay begin (ms); each ends where the next begins. */
const BINS = [0, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000] as const;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const Count = z.number().int();

export const SeriesQuery = input({
  granularity: z.enum(['hour', 'day']).default('hour'),
  ...rangeOf(24),
});
export const SeriesPoint = z
  .object({ bucket: IsoTime.describe('When the hour or day of the plant begins'), count: Count })
  .meta({ id: 'TimeseriesPoint' });

/** Values by the hour or day of the plant in which they were measured, whole ones, the present one last. */
export const series: Operation<z.output<typeof SeriesQuery>, z.output<typeof SeriesPoint>[]> = (
  app,
  { tenantId, timezone },
  { granularity, ...range },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const here = { now: app.clock.now(), zone: timezone };
    const length = here.now - rangeStart(range, here);
    const starts =
      granularity === 'hour'
        ? lastHours(here, Math.max(1, Math.ceil(length / HOUR_MS)))
        : lastDays(here, Math.max(1, Math.ceil(length / DAY_MS)));
    const { rows } = await sql<{ place: number; count: number }>`
      select ${placeIn(starts, sql`create_time`)} as place, count(*)::float8 as count
      from svc_point_value
      where tenant_id = ${tenantId} and create_time >= ${new Date(starts[0] ?? here.now)}
      group by place`.execute(q);
    const counts = filled(starts, rows);
    return starts.map((at, place) => ({
      bucket: new Date(at).toISOString(),
      count: counts[place] ?? 0,
    }));
  });

export const ActivityQuery = input(rangeOf(168));

/** Values by hour of the week of the plant. */
export const activity: Operation<z.output<typeof ActivityQuery>, Cell[]> = (
  app,
  { tenantId, timezone },
  range,
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const here = { now: app.clock.now(), zone: timezone };
    const since = rangeStart(range, here);
    const starts = lastHours(here, Math.ceil((here.now - since) / HOUR_MS) + 1);
    const { rows } = await sql<{ place: number; count: number }>`
      select ${placeIn(starts, sql`create_time`)} as place, count(*)::float8 as count
      from svc_point_value where tenant_id = ${tenantId} and create_time >= ${new Date(since)}
      group by place`.execute(q);
    return cellsOf(starts, rows, timezone);
  });

const dimensions = { device: 'device_id', point: 'point_id', driver: 'driver_id' } as const;

export const TopQuery = input({
  dimension: z.enum(['device', 'point', 'driver']).default('device'),
  ...rangeOf(24),
  limit: clamped({ most: 50, fallback: 10 }),
});
export const TopEntity = z.object({ entityId: AnswerId, count: Count }).meta({ id: 'TopEntity' });

/** Devices, points or drivers with the most values, most first. */
export const top: Operation<z.output<typeof TopQuery>, z.output<typeof TopEntity>[]> = (
  app,
  { tenantId, timezone },
  { dimension, limit, ...range },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const since = rangeStart(range, { now: app.clock.now(), zone: timezone });
    const { rows } = await sql<z.output<typeof TopEntity>>`
      select ${sql.ref(dimensions[dimension])} as entity_id, count(*)::float8 as count
      from svc_point_value where tenant_id = ${tenantId} and create_time >= ${new Date(since)}
      group by entity_id order by count desc, entity_id limit ${limit}`.execute(q);
    return rows;
  });

export const LatencyQuery = input(rangeOf(24));

export const LatencyBucket = z
  .object({
    bin: z
      .number()
      .int()
      .describe(`The least delay (ms) of the bin: ${BINS.join(', ')}`),
    count: z.number().int(),
  })
  .meta({ id: 'LatencyBucket' });

/**
 * Values by the time between measuring and receiving, all bins in order; what the clock of a device puts into the
 * future counts as no delay.
 */
export const latency: Operation<z.output<typeof LatencyQuery>, z.output<typeof LatencyBucket>[]> = (
  app,
  { tenantId, timezone },
  range,
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const since = rangeStart(range, { now: app.clock.now(), zone: timezone });
    const { rows } = await sql<{ place: number; count: number }>`
      select greatest(width_bucket(receive_time - create_time,
          ${BINS.map((bin) => `${bin} ms`)}::interval[]), 1) - 1 as place, count(*)::float8 as count
      from svc_point_value where tenant_id = ${tenantId} and create_time >= ${new Date(since)}
      group by place`.execute(q);
    const counts = new Map(rows.map(({ place, count }) => [place, count]));
    return BINS.map((bin, place) => ({ bin, count: counts.get(place) ?? 0 }));
  });

export const TodayStats = z
  .object({
    today: Count.describe('Values measured since midnight of the plant'),
    yesterday: Count.describe('On the whole day before'),
    total: Count.describe('All that are kept'),
    percentChange: Count.nullable().describe('Of today to yesterday; null if yesterday had none'),
  })
  .meta({ id: 'TodayStats' });

type TodayStats = z.output<typeof TodayStats>;

/** Numbers of values. */
export const today: Operation<object, TodayStats> = (app, { tenantId, timezone }) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const days = lastDays({ now: app.clock.now(), zone: timezone }, 2);
    const [before, midnight] = days.map((at) => new Date(at));
    const {
      rows: [found],
    } = await sql<{ today: number; yesterday: number; total: number }>`
      select count(*) filter (where create_time >= ${midnight})::float8 as today,
        count(*) filter (where create_time >= ${before} and create_time < ${midnight})::float8
          as yesterday,
        count(*)::float8 as total
      from svc_point_value where tenant_id = ${tenantId}`.execute(q);
    const { today: now = 0, yesterday = 0, total = 0 } = found ?? {};
    const percentChange =
      yesterday === 0 ? null : Math.round(((now - yesterday) / yesterday) * 100);
    return { today: now, yesterday, total, percentChange };
  });
