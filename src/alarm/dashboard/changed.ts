import { sql } from 'kysely';
import { z } from 'zod';

import { clamped, daysStart, MAX_DAYS } from '../../data/dashboard/range.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerId, Time } from '../../kernel/entity/answer.ts';
import { input } from '../../kernel/input/input.ts';

/** Entities that a change of can raise or end alarms; a setting is a change of its device. */
const KINDS = ['driver', 'device', 'profile', 'point', 'rule'] as const;

export const ChangeQuery = input({
  days: clamped({ most: MAX_DAYS, fallback: 30 }),
  limit: clamped({ most: 50, fallback: 30 }),
});
export const ChangeImpact = z
  .object({ kind: z.enum(KINDS), entityId: AnswerId, operateTime: Time })
  .meta({ id: 'ChangeImpact' });

/** What was configured last, to be seen beside the alarms: each entity once, with its last change, newest first. */
export const changed: Operation<z.output<typeof ChangeQuery>, z.output<typeof ChangeImpact>[]> = (
  app,
  { tenantId, timezone },
  { days, limit },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const since = daysStart({ days }, { now: app.clock.now(), zone: timezone });
    const { rows } = await sql<z.input<typeof ChangeImpact>>`
      select kind, entity_id, max(at) as operate_time
      from (select case when is_setting then 'device' else entity_type end as kind,
          case when is_setting then device_id else id end as entity_id, at
        from (select entity_type, entity_id as id, device_id, create_time as at,
            entity_type like '%\\_attribute\\_config' and device_id <> 0 as is_setting
          from svc_change_log
          where tenant_id = ${tenantId} and create_time >= ${new Date(since)}) logged) named
      where kind = any(${[...KINDS]}::text[]) group by kind, entity_id
      order by operate_time desc, kind, entity_id limit ${limit}`.execute(q);
    return z.array(ChangeImpact).parse(rows);
  });
