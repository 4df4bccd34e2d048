import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { Happening } from './happening.ts';
import { NoticeEvent } from './notice-event.ts';
import { type Past, rateOf, type Terms } from './policy.ts';

const MAX_WAITING = 1_000;

type Asked = { notifyId: string; channelId: string; terms: Terms; now: number };

/** Counted in the history itself, for each channel: one that is told often hides no other. */
export async function pastOf(
  q: Queries,
  { tenantId, ruleStateId, alarmId }: Happening,
  { notifyId, channelId, terms, now }: Asked,
): Promise<Past> {
  const { ms } = rateOf(terms);
  const since = new Date(now - ms);
  const past = await q
    .selectFrom('svc_notify_history')
    .select([
      sql<string>`count(*) filter (where create_time > ${since})`.as('recent'),
      sql<string>`count(*) filter (where alarm_id = ${alarmId})`.as('ofAlarm'),
      sql<Date | null>`max(create_time) filter (where alarm_id = ${alarmId})`.as('lastOfAlarm'),
    ])
    .where('tenantId', '=', tenantId)
    .where('ruleStateId', '=', ruleStateId)
    .where('notifyId', '=', notifyId)
    .where('channelId', '=', channelId)
    .where('eventFlag', '=', NoticeEvent.FIRED)
    .where((eb) => eb.or([eb('createTime', '>', since), eb('alarmId', '=', alarmId)]))
    .executeTakeFirstOrThrow();
  return {
    recent: Number(past.recent),
    ofAlarm: Number(past.ofAlarm),
    lastOfAlarm: past.lastOfAlarm?.getTime() ?? null,
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
