import { sql } from 'kysely';

import { isHeld } from '../data/retention/hold.ts';
import type { OldRecords } from '../data/retention/records.ts';
import { ConfirmFlag } from './kind/alarm.ts';
import { DeliveryStatus } from './kind/delivery-status.ts';
import { RuleStatus } from './kind/rule-status.ts';

/**
 * Alarms that are over, confirmed, and of which no channel is to hear anything more, by the last of these moments; with
 * their comments and notifications. The last one of a rule at a place stays: the state of the rule names it.
 */
export const oldAlarms: OldRecords = {
  days: 'alarmDays',
  most: 500,
  async remove(q, { tenantId, before, most }) {
    const ended = sql`greatest(a.create_time, a.last_trigger_time, a.last_recover_time, a.confirm_time)`;
    const { rows } = await sql<{ id: string }>`
      select a.id from svc_entity_alarm a
      where a.tenant_id = ${tenantId} and a.create_time < ${before} and ${ended} < ${before}
        and a.confirm_flag = ${ConfirmFlag.CONFIRMED}
        and a.state_flag is distinct from ${RuleStatus.FIRING}
        and not exists (select from svc_rule_state s where s.tenant_id = a.tenant_id and s.alarm_id = a.id)
        and not exists (select from svc_notify_ledger l where l.tenant_id = a.tenant_id
          and l.alarm_id = a.id and l.end_time is null)
        and not exists (select from svc_notify_ledger l where l.tenant_id = a.tenant_id
          and l.cause_id = a.id and l.end_time is null)
        and not ${isHeld(tenantId, { device: sql`a.device_id`, from: sql`a.create_time`, to: ended })}
      order by a.create_time limit ${most} for update of a skip locked`.execute(q);
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return { count: 0 };
    for (const table of ['svc_alarm_comment', 'svc_notify_ledger', 'svc_notify_history'] as const)
      await q
        .deleteFrom(table)
        .where('tenantId', '=', tenantId)
        .where('alarmId', 'in', ids)
        .execute();
    await q
      .deleteFrom('svc_entity_alarm')
      .where('tenantId', '=', tenantId)
      .where('id', 'in', ids)
      .execute();
    return { count: ids.length };
  },
};

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
