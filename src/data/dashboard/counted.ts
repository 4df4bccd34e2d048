import { sql } from 'kysely';
import { z } from 'zod';

import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerId, IsoTime } from '../../kernel/entity/answer.ts';
import { input } from '../../kernel/input/input.ts';
import { DELAY_BINS } from '../history/delay.ts';
import { type Cell, cellsOf, filled, lastDays, lastHours } from './calendar.ts';
import { countedBy, countedByDelay, topOf } from './counted-values.ts';
import { clamped, rangeOf, rangeStart } from './range.ts';

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
    const since = starts[0] ?? here.now;
    const counts = filled(starts, await countedBy(q, { tenantId, since, starts }));
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
    return cellsOf(starts, await countedBy(q, { tenantId, since, starts }), timezone);
  });

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
    return topOf(q, { tenantId, since, dimension, limit });
  });

export const LatencyQuery = input(rangeOf(24));

export const LatencyBucket = z
  .object({
    bin: z
      .number()
      .int()
      .describe(`The least delay (ms) of the bin: ${DELAY_BINS.join(', ')}`),
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
    const counts = new Map(
      (await countedByDelay(q, { tenantId, since })).map(({ place, count }) => [place, count]),
    );
    return DELAY_BINS.map((bin, place) => ({ bin, count: counts.get(place) ?? 0 }));
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
      select coalesce(sum(count) filter (where at >= ${midnight}), 0)::float8 as today,
        coalesce(sum(count) filter (where at >= ${before} and at < ${midnight}), 0)::float8 as yesterday,
        coalesce(sum(count), 0)::float8 as total
      from (
        select create_time as at, 1 as count from svc_point_value where tenant_id = ${tenantId}
        union all
        select start, value_count from svc_value_delay where tenant_id = ${tenantId}) counted`.execute(
      q,
    );
    const { today: now = 0, yesterday = 0, total = 0 } = found ?? {};
    const percentChange =
      yesterday === 0 ? null : Math.round(((now - yesterday) / yesterday) * 100);
    return { today: now, yesterday, total, percentChange };
  });
