import { sql } from 'kysely';
import { z } from 'zod';

import { type Cell, cellsOf, lastHours, placeIn } from '../../data/dashboard/calendar.ts';
import { daysOf, daysStart } from '../../data/dashboard/range.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { nameIn } from '../../kernel/entity/answer.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { input } from '../../kernel/input/input.ts';
import { AlarmType } from '../kind/alarm.ts';

const HOUR_MS = 3_600_000;

export const ActivityQuery = input(daysOf(7));

/** Alarms by hour of the week of the plant. */
export const activity: Operation<z.output<typeof ActivityQuery>, Cell[]> = (
  app,
  { tenantId, timezone },
  given,
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const here = { now: app.clock.now(), zone: timezone };
    const since = daysStart(given, here);
    const starts = lastHours(here, Math.ceil((here.now - since) / HOUR_MS) + 1);
    const { rows } = await sql<{ place: number; count: number }>`
      select ${placeIn(starts, sql`create_time`)} as place, count(*)::int as count
      from svc_entity_alarm where tenant_id = ${tenantId} and create_time >= ${new Date(since)}
      group by place`.execute(q);
    return cellsOf(starts, rows, timezone);
  });

export const TypesQuery = input(daysOf(30));
export const TypeBucket = z
  .object({ type: nameIn(AlarmType), count: z.number().int() })
  .meta({ id: 'AlertTypeBucket' });

/** Alarms by type, most first. */
export const types: Operation<z.output<typeof TypesQuery>, z.output<typeof TypeBucket>[]> = (
  app,
  { tenantId, timezone },
  given,
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const since = daysStart(given, { now: app.clock.now(), zone: timezone });
    const { rows } = await sql<{ type: number; count: number }>`
      select alarm_type_flag as type, count(*)::int as count from svc_entity_alarm
      where tenant_id = ${tenantId} and create_time >= ${new Date(since)}
      group by type order by count desc, type`.execute(q);
    return rows.map(({ type, count }) => ({ type: nameOf(AlarmType, type), count }));
  });
