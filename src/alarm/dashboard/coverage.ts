import { sql } from 'kysely';
import { z } from 'zod';

import { clamped } from '../../data/dashboard/range.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerId } from '../../kernel/entity/answer.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { input } from '../../kernel/input/input.ts';
import { AlarmTarget } from '../kind/alarm.ts';

const Count = z.number().int();

export const GapQuery = input({ limit: clamped({ most: 200, fallback: 100 }) });
export const CoverageGap = z
  .object({
    totalPoints: Count,
    missingPoints: Count,
    items: z.array(z.object({ pointId: AnswerId, profileId: AnswerId })),
  })
  .meta({ id: 'CoverageGap' });

/** Enabled points that no enabled rule watches; a rule of all points watches each. */
export const coverageGap: Operation<z.output<typeof GapQuery>, z.output<typeof CoverageGap>> = (
  app,
  { tenantId },
  { limit },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const points = sql`(select p.id, p.profile_id, not exists (select from svc_rule r
        where r.tenant_id = ${tenantId} and r.enable_flag = ${EnableFlag.ENABLE}
          and r.alarm_target_type_flag = ${AlarmTarget.POINT} and r.entity_id in (0, p.id)) as is_missing
      from svc_point p where p.tenant_id = ${tenantId} and p.enable_flag = ${EnableFlag.ENABLE}) p`;
    const [counts, missing] = await Promise.all([
      sql<{ total: number; missing: number }>`select count(*)::int as total,
        count(*) filter (where is_missing)::int as missing from ${points}`.execute(q),
      sql<{ pointId: string; profileId: string }>`select id as point_id, profile_id
        from ${points} where is_missing order by id limit ${limit}`.execute(q),
    ]);
    const { total = 0, missing: missingPoints = 0 } = counts.rows[0] ?? {};
    return { totalPoints: total, missingPoints, items: missing.rows };
  });
