import { sql } from 'kysely';
import { z } from 'zod';

import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { lastDays } from './calendar.ts';

const Count = z.number().int();

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
