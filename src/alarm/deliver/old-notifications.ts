import { sql } from 'kysely';

import { isHeld } from '../../data/retention/hold.ts';
import type { OldRecords } from '../../data/retention/records.ts';
import { DeliveryStatus } from '../kind/delivery-status.ts';

/** Notifications that were delivered, or not, for good, by when they were written; not those of which an open alarm goes on. */
export const oldNotifications: OldRecords = {
  days: 'notificationDays',
  most: 500,
  async remove(q, { tenantId, before, most }) {
    const at = sql`n.create_time`;
    const { numAffectedRows } = await sql`
      with old as (select n.id from svc_notify_history n
        left join svc_entity_alarm a on a.tenant_id = n.tenant_id and a.id = n.alarm_id
        where n.tenant_id = ${tenantId} and n.create_time < ${before} and n.operate_time < ${before}
          and n.status_flag in (${DeliveryStatus.SUCCESS}, ${DeliveryStatus.FAILED})
          and not exists (select from svc_notify_ledger l where l.tenant_id = n.tenant_id
            and l.alarm_id = n.alarm_id and l.end_time is null)
          and not exists (select from svc_notify_ledger l where l.tenant_id = n.tenant_id
            and l.history_id = n.id and l.history_id <> 0 and l.end_time is null)
          and not ${isHeld(tenantId, { device: sql`coalesce(a.device_id, 0)`, from: at, to: at })}
        order by n.create_time limit ${most} for update of n skip locked)
      delete from svc_notify_history n using old o where n.tenant_id = ${tenantId} and n.id = o.id`.execute(
      q,
    );
    return { count: Number(numAffectedRows ?? 0n) };
  },
};
