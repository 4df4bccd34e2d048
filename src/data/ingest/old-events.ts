import { sql } from 'kysely';

import { isHeld } from '../retention/hold.ts';
import type { OldRecords } from '../retention/records.ts';

/** Events of devices, by when they came. */
export const oldEvents: OldRecords = {
  days: 'eventDays',
  most: 500,
  async remove(q, { tenantId, before, most }) {
    const at = sql`e.occur_time`;
    const { numAffectedRows } = await sql`
      with old as (select e.id from svc_event_history e
        where e.tenant_id = ${tenantId} and e.occur_time < ${before} and e.receive_time < ${before}
          and not ${isHeld(tenantId, { device: sql`e.device_id`, from: at, to: at })}
        order by e.occur_time limit ${most} for update of e skip locked)
      delete from svc_event_history e using old o where e.tenant_id = ${tenantId} and e.id = o.id`.execute(
      q,
    );
    return { count: Number(numAffectedRows ?? 0n) };
  },
};
