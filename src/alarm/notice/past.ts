import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { Happening } from './happening.ts';
import { NoticeEvent } from './notice-event.ts';
import { type Past, rateOf, type Terms } from './policy.ts';

const MAX_WAITING = 1_000;

type Asked = { notifyId: string; channelId: string; terms: Terms; now: number };

/**
 * Counted in the history itself, for each channel: one that is told often hides no other. However long
 * the history is, only the interval of the rate and the rows of the alarm are looked at.
 */
export async function pastOf(
  q: Queries,
  { tenantId, ruleStateId, alarmId }: Happening,
  { notifyId, channelId, terms, now }: Asked,
): Promise<Past> {
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
          .executeTakeFirstOrThrow();
  return {
    recent: Number(recent?.count ?? 0),
    ofAlarm: Number(ofAlarm.count),
    lastOfAlarm: ofAlarm.last?.getTime() ?? null,
  };
}

/** Whether too much of a tenant waits to be sent: receivers that take nothing do not fill the table. */
export async function isFull(q: Queries, tenantId: string): Promise<boolean> {
  const { rows } = await sql<{ count: string }>`
    select count(*) from (select from svc_notify_history
      where tenant_id = ${tenantId} and status_flag in (0, 1, 4) limit ${MAX_WAITING}) waiting`.execute(
    q,
  );
  return Number(rows[0]?.count ?? 0) >= MAX_WAITING;
}
