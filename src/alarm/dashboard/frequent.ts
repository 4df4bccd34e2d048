import { sql } from 'kysely';
import { z } from 'zod';

import { clamped, daysOf, daysStart, MAX_DAYS } from '../../data/dashboard/range.ts';
import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { numbered } from '../../kernel/entity/answer.ts';
import { input } from '../../kernel/input/input.ts';
import { AlarmType } from '../kind/alarm.ts';
import { source, sourced } from './sourced.ts';

const HOUR_MS = 3_600_000;
const MAX_HOURS = MAX_DAYS * 24;
const MAX_ROWS = 50;

export const Frequent = z
  .object({ ...source, count: z.number().int() })
  .meta({ id: 'AlertTopSource' });
type Frequent = z.output<typeof Frequent>;

type Wanted = { tenantId: string; since: number; least: number; limit: number };

async function frequent(q: Queries, wanted: Wanted): Promise<Frequent[]> {
  const { rows } = await sql<Frequent>`
    select source, source_id, device_id, count(*)::int as count
    from ${sourced(wanted.tenantId, wanted.since)} group by source, source_id, device_id
    having count(*) >= ${wanted.least}
    order by count desc, source, source_id, device_id limit ${wanted.limit}`.execute(q);
  return rows;
}

export const TopQuery = input({ ...daysOf(30), limit: clamped({ most: MAX_ROWS, fallback: 10 }) });

/** What raised the most alarms, most first. */
export const topSources: Operation<z.output<typeof TopQuery>, Frequent[]> = (
  app,
  { tenantId, timezone },
  given,
) =>
  inOneTrip(app.db, tenantId, (q) => {
    const since = daysStart(given, { now: app.clock.now(), zone: timezone });
    return frequent(q, { tenantId, since, least: 1, limit: given.limit });
  });

export const StormQuery = input({
  hours: clamped({ most: MAX_HOURS, fallback: 1 }),
  minCount: clamped({ most: 1_000_000, fallback: 10 }),
  limit: clamped({ most: MAX_ROWS, fallback: 10 }),
});

/** What raised at least `minCount` alarms in the last hours, most first. */
export const stormSources: Operation<z.output<typeof StormQuery>, Frequent[]> = (
  app,
  { tenantId },
  { hours, minCount: least, limit },
) =>
  inOneTrip(app.db, tenantId, (q) =>
    frequent(q, { tenantId, since: app.clock.now() - hours * HOUR_MS, least, limit }),
  );

export const FlappingQuery = input({
  hours: clamped({ most: MAX_HOURS, fallback: 6 }),
  minCount: clamped({ least: 2, most: 1_000_000, fallback: 5 }),
  limit: clamped({ most: MAX_ROWS, fallback: 20 }),
});
export const Flapping = z
  .object({ ...source, alarmTypeFlag: numbered(AlarmType), count: z.number().int() })
  .meta({ id: 'FlappingSource' });
type Flapping = z.output<typeof Flapping>;

/** What raised the same kind of alarm again and again: an alarm that fires on raises no further one. */
export const flapping: Operation<z.output<typeof FlappingQuery>, Flapping[]> = (
  app,
  { tenantId },
  { hours, minCount, limit },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const { rows } = await sql<Flapping>`
      select source, source_id, device_id, alarm_type_flag, count(*)::int as count
      from ${sourced(tenantId, app.clock.now() - hours * HOUR_MS)}
      group by source, source_id, device_id, alarm_type_flag having count(*) >= ${minCount}
      order by count desc, source, source_id, device_id, alarm_type_flag limit ${limit}`.execute(q);
    return rows;
  });
