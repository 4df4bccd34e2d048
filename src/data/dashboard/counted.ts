import { sql } from 'kysely';
import { z } from 'zod';

import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerId, IsoTime } from '../../kernel/entity/answer.ts';
import { input } from '../../kernel/input/input.ts';
import { type Cell, cellsOf, filled, lastDays, lastHours, placeIn } from './calendar.ts';
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
