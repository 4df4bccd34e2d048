import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { AlarmType } from '../kind/alarm.ts';
import { HeldBack } from '../kind/held-back.ts';
import { RuleStatus } from '../kind/rule-status.ts';

type Changed = { notifyId: string } | { channelId: string } | { bindId: string };

/**
 * Lets the ledger look again at what channels know (docs/specification/notifications.md, Ledger): the settings of a
 * policy, channel or bind changed, or alarms ended. A channel that a change brings to a policy gets the alarms that fire.
 */
export async function wake(
  q: Queries,
  tenantId: string,
  of: Changed | { alarmIds: readonly string[] },
  now: number,
): Promise<void> {
  let query = q
    .updateTable('svc_notify_ledger')
    .set({ dueTime: new Date(now) })
    .where('tenantId', '=', tenantId)
    .where('endTime', 'is', null);
  if ('alarmIds' in of) {
    if (of.alarmIds.length === 0) return;
    query = query.where(sql<boolean>`alarm_id = any(${of.alarmIds}::bigint[])`);
  } else if ('notifyId' in of) query = query.where('notifyId', '=', of.notifyId);
  else if ('channelId' in of) query = query.where('channelId', '=', of.channelId);
  else
    query = query.where('channelId', '=', (bind) =>
      bind
        .selectFrom('svc_notify_channel_bind')
        .select('channelId')
        .where('tenantId', '=', tenantId)
        .where('id', '=', of.bindId),
    );
  await query.execute();
  if (!('alarmIds' in of)) await addFiring(q, tenantId, of, new Date(now));
}

/** Entries that one change adds at most. */
const MAX_ADDED = 10_000;
const TYPES = JSON.stringify(
  Object.fromEntries(Object.entries(AlarmType).map(([name, flag]) => [flag, name])),
);

const namedBy = (of: Changed) =>
  'bindId' in of
    ? sql`b.id = ${of.bindId}`
    : 'channelId' in of
      ? sql`b.channel_id = ${of.channelId}`
      : sql`b.notify_id = ${of.notifyId}`;

/** Adds what fires to the ledger for the enabled channels of its policies that are not in it. */
async function addFiring(q: Queries, tenantId: string, of: Changed, at: Date): Promise<void> {
  const on = EnableFlag.ENABLE;
  await sql`
    insert into svc_notify_ledger (tenant_id, alarm_id, notify_id, channel_id, message_id, due_time, create_time, operate_time)
    select a.tenant_id, a.id, b.notify_id, b.channel_id, coalesce(r.message_id, 0), ${at}, ${at}, ${at}
    from svc_notify_channel_bind b
    join svc_notify n on n.tenant_id = b.tenant_id and n.id = b.notify_id and n.enable_flag = ${on}
    join svc_notify_channel c on c.tenant_id = b.tenant_id and c.id = b.channel_id and c.enable_flag = ${on}
    join svc_entity_alarm a on a.tenant_id = b.tenant_id and a.state_flag = ${RuleStatus.FIRING}
    left join svc_rule r on r.tenant_id = a.tenant_id and r.id = a.rule_id and a.rule_id <> 0
    where b.tenant_id = ${tenantId} and b.enable_flag = ${on} and ${namedBy(of)}
      and (r.notify_id = b.notify_id or a.rule_id = 0 and
        n.notify_ext #> '{content,alarmTypes}' @> jsonb_build_array(${TYPES}::jsonb -> a.alarm_type_flag::text))
      and coalesce(b.bind_ext #> '{content,levels}', '[]') @> case
        when jsonb_array_length(coalesce(b.bind_ext #> '{content,levels}', '[]')) = 0 then '[]'::jsonb
        else jsonb_build_array('P' || a.alarm_level_flag) end
    order by a.id limit ${MAX_ADDED}
    on conflict do nothing`.execute(q);
}

/** Lets the ledger look again at what a maintenance holds back: its end or its mode changed. */
export async function wakeHeld(q: Queries, tenantId: string, now: number): Promise<void> {
  await q
    .updateTable('svc_notify_ledger')
    .set({ dueTime: new Date(now) })
    .where('tenantId', '=', tenantId)
    .where('endTime', 'is', null)
    .where((row) =>
      row.or([
        row('reason', 'like', `${HeldBack.enum.MAINTENANCE}%`),
        // A step that waits counts from the end of what mutes its alarm.
        row('mutedUntil', '>', new Date(now)),
      ]),
    )
    .execute();
}
