import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { NoticeEvent } from '../kind/delivery-status.ts';
import type { AlarmEvent } from './alarm-event.ts';
import { type DeliveryHistory, rateOf, type Terms } from './suppression.ts';

/** Unsent notifications of one channel. */
const MAX_WAITING = 1_000;

type Asked = { notifyId: string; channelId: string; terms: Terms; now: number };

/**
 * Counts in the notification history, per channel, so that a busy channel does not limit the others. The
 * query reads only the rate interval and the rows of the alarm, however long the history is.
 */
export async function deliveryHistoryOf(
  q: Queries,
  { tenantId, ruleStateId, alarmId }: AlarmEvent,
  { notifyId, channelId, terms, now }: Asked,
): Promise<DeliveryHistory> {
  const fired = q
    .selectFrom('svc_notify_history')
    .select(sql<string>`count(*)`.as('count'))
    .where('tenantId', '=', tenantId)
    .where('notifyId', '=', notifyId)
    .where('channelId', '=', channelId)
    .where('eventFlag', '=', NoticeEvent.FIRED);
  const ofAlarm = await fired
    .select(sql<Date | null>`max(create_time)`.as('last'))
    .where('alarmId', '=', alarmId)
    .executeTakeFirstOrThrow();
  const { ms } = rateOf(terms);
  const recent =
    ms === 0
      ? null
      : await fired
          .where('ruleStateId', '=', ruleStateId)
          .where('createTime', '>', new Date(now - ms))
          .$if(ruleStateId === '0', (some) =>
            // An account security event has no alarm.
            alarmId === '0'
              ? some.where('alarmId', '=', '0')
              : some.where(isAbout(tenantId, alarmId)),
          )
          .executeTakeFirstOrThrow();
  return {
    recent: Number(recent?.count ?? 0),
    ofAlarm: Number(ofAlarm.count),
    lastOfAlarm: ofAlarm.last?.getTime() ?? null,
  };
}

/** Reports have no rule state: count those of the same type on the same entity. */
const isAbout = (tenantId: string, alarmId: string) => sql<boolean>`exists (
  select from svc_entity_alarm this join svc_entity_alarm other
    using (tenant_id, alarm_target_type_flag, entity_id, alarm_type_flag)
  where tenant_id = ${tenantId} and this.id = ${alarmId}
    and other.id = svc_notify_history.alarm_id)`;

/**
 * The channels with too many unsent notifications: a receiver that accepts none does not fill the table, and
 * does not delay other channels.
 */
export async function fullChannels(
  q: Queries,
  tenantId: string,
  channelIds: readonly string[],
): Promise<string[]> {
  if (channelIds.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select channel.id::text as id from unnest(${channelIds}::bigint[]) as channel (id)
    where (select count(*) from (select from svc_notify_history
      where tenant_id = ${tenantId} and channel_id = channel.id and status_flag in (0, 1, 4)
      limit ${MAX_WAITING}) waiting) >= ${MAX_WAITING}`.execute(q);
  return rows.map(({ id }) => id);
}
