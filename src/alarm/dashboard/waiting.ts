import { sql } from 'kysely';
import { z } from 'zod';

import { dateOf, lastDays, placeIn } from '../../data/dashboard/calendar.ts';
import { clamped, MAX_DAYS } from '../../data/dashboard/range.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { input } from '../../kernel/input/input.ts';
import { ConfirmFlag } from '../kind/alarm.ts';

const HOUR_MS = 3_600_000;
const Count = z.number().int();

/** Alarms that are not confirmed, by their age. */
export const Aging = z
  .object({ under1h: Count, h1to6: Count, h6to24: Count, over24h: Count, total: Count })
  .meta({ id: 'AgingBacklog' });
type Aging = z.output<typeof Aging>;

export const aging: Operation<object, Aging> = (app, { tenantId }) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const ago = (hours: number) => new Date(app.clock.now() - hours * HOUR_MS);
    const {
      rows: [found],
    } = await sql<Aging>`
      select count(*) filter (where create_time > ${ago(1)})::int as under1h,
        count(*) filter (where create_time <= ${ago(1)} and create_time > ${ago(6)})::int as h1to6,
        count(*) filter (where create_time <= ${ago(6)} and create_time > ${ago(24)})::int as h6to24,
        count(*) filter (where create_time <= ${ago(24)})::int as over24h, count(*)::int as total
      from svc_entity_alarm
      where tenant_id = ${tenantId} and confirm_flag = ${ConfirmFlag.UNCONFIRMED}`.execute(q);
    return found ?? { under1h: 0, h1to6: 0, h6to24: 0, over24h: 0, total: 0 };
  });

const Duration = z.number().int().nullable();

export const MttaQuery = input({ days: clamped({ most: MAX_DAYS, fallback: 30 }) });
export const Mtta = z
  .object({
    date: z.string().meta({ format: 'date', examples: ['2026-11-23'] }),
    p50Ms: Duration.describe('From raising to confirming; null on a day without confirmed alarms'),
    p95Ms: Duration,
    confirmedCount: Count,
  })
  .meta({ id: 'MttaTrend' });

/**
 * How long alarms waited for a person, by the day of the plant on which they were raised, today last; alarms that
 * a policy confirmed waited for none and do not count.
 */
export const mtta: Operation<z.output<typeof MttaQuery>, z.output<typeof Mtta>[]> = (
  app,
  { tenantId, timezone },
  { days },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const starts = lastDays({ now: app.clock.now(), zone: timezone }, days);
    const { rows } = await sql<{ place: number; p50: number; p95: number; count: number }>`
      select place, round(percentile_cont(0.5) within group (order by waited))::float8 as p50,
        round(percentile_cont(0.95) within group (order by waited))::float8 as p95,
        count(*)::int as count
      from (select ${placeIn(starts, sql`create_time`)} as place,
          extract(epoch from confirm_time - create_time)::float8 * 1000 as waited
        from svc_entity_alarm
        where tenant_id = ${tenantId} and create_time >= ${new Date(starts[0] ?? 0)}
          and confirm_flag = ${ConfirmFlag.CONFIRMED} and confirm_user_id <> 0) a
      group by place`.execute(q);
    const found = new Map(rows.map((row) => [row.place, row]));
    return starts.map((at, day) => {
      const { p50 = null, p95 = null, count = 0 } = found.get(day) ?? {};
      return { date: dateOf(at, timezone), p50Ms: p50, p95Ms: p95, confirmedCount: count };
    });
  });
