import { sql } from 'kysely';

import { EnableFlag } from '../../../core/input/flag.ts';
import type { Queries } from '../../../db/connect.ts';
import { isStale } from '../freshness.ts';

/** How many points of enabled devices have a value, and no newer one at `now` although one is overdue. */
export async function silentPoints(q: Queries, tenantId: string, now: number): Promise<number> {
  const { rows } = await sql<{ silent: number }>`
    select count(*)::int as silent from svc_point_latest l
    join svc_device d on d.tenant_id = l.tenant_id and d.id = l.device_id
      and d.enable_flag = ${EnableFlag.ENABLE}
    join svc_point p on p.tenant_id = l.tenant_id and p.id = l.point_id
      and p.enable_flag = ${EnableFlag.ENABLE}
    join svc_driver v on v.tenant_id = d.tenant_id and v.id = d.driver_id
    where l.tenant_id = ${tenantId} and ${isStale(now)}`.execute(q);
  return rows[0]?.silent ?? 0;
}
