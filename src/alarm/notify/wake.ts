import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { ConfirmFlag } from '../kind/alarm.ts';
import {
  allowing,
  DeliveryStatus,
  Known,
  NoticeEvent,
  PATIENCE_MS,
} from '../kind/delivery-status.ts';
import { HeldBack, UNUSED } from '../kind/held-back.ts';
import { RuleStatus } from '../kind/rule-status.ts';
import { asksForType, isAsked, isBound, isChannelOn } from './bound.ts';

type Changed = { notifyId: string } | { channelId: string } | { bindId: string };
type Rule = { ruleId: string; notifyId: string; messageId: string };

/**
 * Lets the ledger look again at what channels know (docs/specification/notifications.md, Ledger): the settings of a
 * policy, channel or bind changed, or alarms ended. A channel that a change brings to a policy gets the alarms that fire;
 * what waits to be sent over one that it takes from a policy is not sent.
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
    await query.execute();
    return;
  }
  const isOf = sql<boolean>`channel_id in (${channelsOf(tenantId, of)})`;
  // Of a policy also what it explains to its channels.
  query = query.where(isOf);
  if ('notifyId' in of)
    query = query.where((row) =>
      row.or([row('notifyId', '=', of.notifyId), row('causeId', '!=', '0')]),
    );
  await query.execute();
  const at = new Date(now);
  await sql`
    update svc_notify_history h set status_flag = ${DeliveryStatus.FAILED}, next_try_time = null,
      error_message = ${UNUSED}, operate_time = ${at}
    where tenant_id = ${tenantId} and notify_id <> 0 and event_flag <> ${NoticeEvent.RECOVERED}
      and status_flag = any(${allowing('drop')}::smallint[]) and ${isOf} and not ${isBound('h')}`.execute(
    q,
  );
  await addFiring(q, tenantId, of, at);
}

const channelsOf = (tenantId: string, of: Changed) =>
  'channelId' in of
    ? sql`${of.channelId}::bigint`
    : sql`select b.channel_id from svc_notify_channel_bind b
        where b.tenant_id = ${tenantId} and ${namedBy(of)}`;

/**
 * Lets the channels of alarms that fire follow their rule to another policy or message (docs/specification/notifications.md,
 * Ledger): what a channel of both policies knows goes over to the new one, of two old ones that of the one that sent it;
 * other channels of the new one get the alarms.
 */
export async function wakeRule(
  q: Queries,
  tenantId: string,
  { ruleId, notifyId, messageId }: Rule,
  now: number,
): Promise<void> {
  const at = new Date(now);
  const fires = sql`l.tenant_id = ${tenantId} and exists (select from svc_entity_alarm a where a.tenant_id = l.tenant_id
    and a.id = l.alarm_id and a.rule_id = ${ruleId} and a.state_flag = ${RuleStatus.FIRING})`;
  const goesOver = sql`${fires} and l.end_time is null and l.notify_id <> ${notifyId}
    and exists (select from svc_notify_channel_bind b where b.tenant_id = l.tenant_id and b.notify_id = ${notifyId}
      and b.channel_id = l.channel_id and b.enable_flag = ${EnableFlag.ENABLE})`;
  // What ended when an earlier change took the alarm from the policy.
  await sql`
    delete from svc_notify_ledger o using svc_notify_ledger l
    where ${goesOver} and o.tenant_id = l.tenant_id and o.alarm_id = l.alarm_id and o.channel_id = l.channel_id
      and o.notify_id = ${notifyId} and o.end_time is not null`.execute(q);
  await sql`
    update svc_notify_ledger m set notify_id = ${notifyId}, gather_key = '', gather_time = null
    from (select distinct on (l.alarm_id, l.channel_id) l.alarm_id, l.channel_id, l.notify_id from svc_notify_ledger l
      where ${goesOver} and not exists (select from svc_notify_ledger o where o.tenant_id = l.tenant_id
        and o.alarm_id = l.alarm_id and o.channel_id = l.channel_id and o.notify_id = ${notifyId})
      order by l.alarm_id, l.channel_id, l.known_flag <> ${Known.FIRING}, l.notify_id) l
    where m.tenant_id = ${tenantId} and m.alarm_id = l.alarm_id and m.channel_id = l.channel_id
      and m.notify_id = l.notify_id`.execute(q);
  await sql`
    update svc_notify_ledger l set message_id = ${messageId}, due_time = ${at}
    where ${fires} and l.end_time is null`.execute(q);
  await addFiring(q, tenantId, { ruleId }, at);
}

/** Lets alarms without a rule that a policy sends go on with another message. */
export async function takeTemplate(
  q: Queries,
  tenantId: string,
  { notifyId, messageId }: Omit<Rule, 'ruleId'>,
): Promise<void> {
  await sql`
    update svc_notify_ledger l set message_id = ${messageId}
    where l.tenant_id = ${tenantId} and l.notify_id = ${notifyId} and l.end_time is null
      and exists (select from svc_entity_alarm a where a.tenant_id = l.tenant_id and a.id = l.alarm_id and a.rule_id = 0)`.execute(
    q,
  );
}

/** Entries that one change adds at most. */
const MAX_ADDED = 10_000;

function namedBy(of: Changed | Pick<Rule, 'ruleId'>) {
  if ('ruleId' in of) return sql`r.id = ${of.ruleId}`;
  if ('bindId' in of) return sql`b.id = ${of.bindId}`;
  return 'channelId' in of
    ? sql`b.channel_id = ${of.channelId}`
    : sql`b.notify_id = ${of.notifyId}`;
}

/**
 * Adds a ledger entry for each firing alarm and each enabled channel of its policies that has none, and reopens the entry
 * of a channel that ended because the policy had stopped using it.
 */
async function addFiring(
  q: Queries,
  tenantId: string,
  of: Parameters<typeof namedBy>[0],
  at: Date,
): Promise<void> {
  const on = EnableFlag.ENABLE;
  await sql`
    insert into svc_notify_ledger (tenant_id, alarm_id, notify_id, channel_id, message_id, due_time, create_time, operate_time)
    select a.tenant_id, a.id, b.notify_id, b.channel_id, 
      case when a.rule_id = 0 then n.message_id else coalesce(r.message_id, 0) end, ${at}, ${at}, ${at}
    from svc_notify_channel_bind b
    join svc_notify n on n.tenant_id = b.tenant_id and n.id = b.notify_id and n.enable_flag = ${on}
    join svc_notify_channel c on c.tenant_id = b.tenant_id and c.id = b.channel_id and c.enable_flag = ${on}
    join svc_entity_alarm a on a.tenant_id = b.tenant_id and a.state_flag = ${RuleStatus.FIRING}
    left join svc_rule r on r.tenant_id = a.tenant_id and r.id = a.rule_id and a.rule_id <> 0
    where b.tenant_id = ${tenantId} and b.enable_flag = ${on} and ${namedBy(of)}
      and (r.notify_id = b.notify_id or a.rule_id = 0 and ${asksForType})
      and coalesce(b.bind_ext #> '{content,levels}', '[]') @> case
        when jsonb_array_length(coalesce(b.bind_ext #> '{content,levels}', '[]')) = 0 then '[]'::jsonb
        else jsonb_build_array('P' || a.alarm_level_flag) end
    order by a.id limit ${MAX_ADDED}
    on conflict (tenant_id, alarm_id, notify_id, channel_id) do update set end_time = null, reason = '',
      history_id = 0, failure_count = 0, message_id = excluded.message_id, due_time = excluded.due_time
    where svc_notify_ledger.end_time is not null`.execute(q);
  if (!('ruleId' in of)) await reviveReports(q, tenantId, of, at);
}

/** Lets channels go on with unconfirmed reports whose entries ended when nothing was sent over them. */
async function reviveReports(q: Queries, tenantId: string, of: Changed, at: Date): Promise<void> {
  const { CHANNEL_GONE, UNUSED: NOT_SENT } = HeldBack.enum;
  await sql`
    update svc_notify_ledger l set end_time = null, reason = '', history_id = 0, failure_count = 0, due_time = ${at}
    from svc_entity_alarm a, svc_notify_channel_bind b
    where a.tenant_id = ${tenantId} and a.rule_id = 0 and a.confirm_flag = ${sql.lit(ConfirmFlag.UNCONFIRMED)}
      and a.state_flag is null and l.tenant_id = a.tenant_id and l.alarm_id = a.id
      and l.end_time is not null and l.reason in (${NOT_SENT}, ${CHANNEL_GONE})
      and (l.known_flag = ${Known.FIRING} or a.create_time > ${new Date(at.getTime() - PATIENCE_MS)})
      and b.tenant_id = l.tenant_id and b.notify_id = l.notify_id and b.channel_id = l.channel_id and ${namedBy(of)}
      and ${isBound('l')} and ${isChannelOn('l')} and ${isAsked('l')}`.execute(q);
}

/** Ends what a policy sent over a channel that does not want ends, and that it does not use any more. */
export async function endEntries(
  q: Queries,
  tenantId: string,
  { notifyId, channelId }: { notifyId: string; channelId: string },
  now: number,
): Promise<void> {
  await q
    .updateTable('svc_notify_ledger')
    .set({ endTime: new Date(now), dueTime: null, reason: HeldBack.enum.NO_RECOVERY })
    .where('tenantId', '=', tenantId)
    .where('notifyId', '=', notifyId)
    .where('channelId', '=', channelId)
    .where('endTime', 'is', null)
    .execute();
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
