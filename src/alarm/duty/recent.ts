import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { NoticeEvent } from '../kind/delivery-status.ts';
import type { Terms } from './duty.ts';
import { rateOf } from './wants.ts';

/** Unsent notifications of one channel. */
const MAX_WAITING = 1_000;

type Asked = {
  tenantId: string;
  alarmId: string;
  ruleStateId: string;
  notifyId: string;
  channelId: string;
  terms: Terms;
  now: number;
};

/**
 * From when on (ms) the rate limit of a channel allows another message about a firing of the same rule state; `now` or
 * earlier: at once. Reads only the interval of the limit, however long the history is.
 */
export async function allowedAt(q: Queries, asked: Asked): Promise<number> {
  const { tenantId, alarmId, ruleStateId, notifyId, channelId, terms, now } = asked;
  const rate = rateOf(terms);
  const { ms, count } = rate;
  if (ms === 0) return now;
  const rows = () =>
    q
      .selectFrom('svc_notify_history')
      .select('createTime')
      .where('tenantId', '=', tenantId)
      .where('notifyId', '=', notifyId)
      .where('channelId', '=', channelId)
      .where('eventFlag', '=', NoticeEvent.FIRED)
      .where('createTime', '>', new Date(now - ms));
  const ofState = rows()
    .where('ruleStateId', '=', ruleStateId)
    // Of messages about several alarms, those that name it beside another one.
    .unionAll(
      rows()
        .where('ruleStateId', '!=', ruleStateId)
        .where(sql<boolean>`rule_state_ids @> array[${ruleStateId}]::bigint[]`),
    );
  const ofReport =
    alarmId === '0'
      ? // An account security event has no alarm.
        rows().where('alarmId', '=', '0')
      : rows().where(isAbout(tenantId, alarmId));
  const recent = await (ruleStateId === '0' ? ofReport : ofState)
    .orderBy('createTime', 'desc')
    .limit(count)
    .execute();
  const fired = recent.map(({ createTime }) => createTime.getTime());
  return allowedFrom(fired, rate, now);
}

/** From when on a limit allows another message, by when those so far were written, the newest first. */
export function allowedFrom(
  fired: readonly number[],
  { ms, count }: { ms: number; count: number },
  now: number,
): number {
  const oldest = fired[count - 1];
  return ms > 0 && oldest !== undefined && oldest > now - ms ? oldest + ms : now;
}

/** Reports have no rule state: count those of the same type on the same entity. */
const isAbout = (tenantId: string, alarmId: string) => sql<boolean>`exists (
  select from svc_entity_alarm this join svc_entity_alarm other
    using (tenant_id, alarm_target_type_flag, entity_id, alarm_type_flag)
  where tenant_id = ${tenantId} and this.id = ${alarmId}
    and (other.id = svc_notify_history.alarm_id or exists (select from svc_notify_ledger l
      where l.tenant_id = ${tenantId} and l.alarm_id = other.id and l.notify_id = svc_notify_history.notify_id
        and l.channel_id = svc_notify_history.channel_id and l.fired_in = svc_notify_history.id)))`;

/**
 * Whether a channel has too many unsent notifications: a receiver that accepts none does not fill the table, and does
 * not delay other channels.
 */
export async function isFull(q: Queries, tenantId: string, channelId: string): Promise<boolean> {
  const { rows } = await sql<{ isFull: boolean }>`
    select (select count(*) from (select from svc_notify_history
      where tenant_id = ${tenantId} and channel_id = ${channelId} and status_flag in (0, 1, 4)
      limit ${MAX_WAITING}) waiting) >= ${MAX_WAITING} as "isFull"`.execute(q);
  return rows[0]?.isFull ?? false;
}
