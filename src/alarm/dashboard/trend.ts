import { sql } from 'kysely';
import { z } from 'zod';

import { dateOf, filled, lastDays, placeIn } from '../../data/dashboard/calendar.ts';
import { dayCount, daysOf } from '../../data/dashboard/range.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { input } from '../../kernel/input/input.ts';
import { AlarmTarget } from '../kind/alarm.ts';

const Count = z.number().int();

export const TrendQuery = input(daysOf(30));
export const Trend = z
  .object({
    date: z.string().meta({ format: 'date', examples: ['2026-11-23'] }),
    deviceCount: Count.describe('Alarms of devices, their points and their events'),
    driverCount: Count,
  })
  .meta({ id: 'AlertTrend' });

/** Alarms by the day of the plant on which they were raised, oldest first, today last. */
export const trend: Operation<z.output<typeof TrendQuery>, z.output<typeof Trend>[]> = (
  app,
  { tenantId, timezone },
  given,
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const starts = lastDays({ now: app.clock.now(), zone: timezone }, dayCount(given));
    const { rows } = await sql<{ place: number; isDriver: boolean; count: number }>`
      select place, is_driver, count(*)::int as count
      from (select ${placeIn(starts, sql`create_time`)} as place,
          alarm_target_type_flag = ${AlarmTarget.DRIVER} as is_driver from svc_entity_alarm
        where tenant_id = ${tenantId} and create_time >= ${new Date(starts[0] ?? 0)}) a
      group by place, is_driver`.execute(q);
    const of = (drivers: boolean) =>
      filled(
        starts,
        rows.filter(({ isDriver }) => isDriver === drivers),
      );
    const [devices, drivers] = [of(false), of(true)];
    return starts.map((at, day) => ({
      date: dateOf(at, timezone),
      deviceCount: devices[day] ?? 0,
      driverCount: drivers[day] ?? 0,
    }));
  });
