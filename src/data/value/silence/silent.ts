import { sql } from 'kysely';

import { EnableFlag } from '../../../core/input/flag.ts';
import type { Queries } from '../../../db/connect.ts';
import { declaredInterval, DEFAULT_INTERVAL_MS, STALE_AFTER } from '../freshness.ts';

/** How many points of enabled devices have a value, and no newer one at `now` although one is overdue. */
export async function silentPoints(q: Queries, tenantId: string, now: number): Promise<number> {
  const { rows } = await sql<{ silent: number }>`
    select count(*)::int as silent from svc_point_latest l
    join svc_device d on d.tenant_id = l.tenant_id and d.id = l.device_id
      and d.enable_flag = ${EnableFlag.ENABLE}
    join svc_point p on p.tenant_id = l.tenant_id and p.id = l.point_id
      and p.enable_flag = ${EnableFlag.ENABLE}
    join svc_driver v on v.tenant_id = d.tenant_id and v.id = d.driver_id
    where l.tenant_id = ${tenantId} and l.create_time < ${new Date(now)}::timestamptz
      - ${STALE_AFTER} * interval '1 millisecond' * coalesce(
        nullif(substring(${declaredInterval} from '^[0-9]{1,12}$')::bigint, 0), ${DEFAULT_INTERVAL_MS})`.execute(
    q,
  );
  return rows[0]?.silent ?? 0;
}
