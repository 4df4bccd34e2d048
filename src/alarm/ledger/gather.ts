import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { Duty } from '../duty/duty.ts';
import type { Beside, Due } from '../duty/group.ts';
import type { Alarm } from '../duty/of-alarm.ts';
import { type Entry, levelOf } from '../duty/standing.ts';
import type { Flood } from '../notify/grouping.ts';

/** The message of an alarm that is due to the channel of an entry. */
export const dueOf = (
  alarm: Alarm,
  { gatherKey, gatherTime }: Entry,
  { event, isReminder }: Extract<Duty, { do: 'send' }>,
): Due => {
  const level = levelOf(alarm);
  const { deviceId, pointId, driverId: driver, ruleId: rule } = alarm;
  // An alarm of devices that are judged together has none: those of other points have nothing to do with it.
  const device = deviceId === '0' && pointId !== '0' ? `of ${pointId}` : deviceId;
  return {
    event,
    isReminder,
    level,
    parts: { device, driver, rule, level },
    waits: { key: gatherKey, time: gatherTime?.getTime() ?? null },
  };
};

/** What there is beside the message of an entry at a time (ms). */
export const besideOf = (q: Queries, entry: Entry, now: number): Beside => ({
  begun: (key) => begun(q, entry, { key, now }),
  isAlone: () => isAlone(q, entry),
  gotSince: (at) => gotSince(q, entry, new Date(at)),
  recent: (flood) => recent(q, entry, { ...flood, now }),
});

async function begun(
  q: Queries,
  { tenantId, notifyId, channelId }: Entry,
  { key, now }: { key: string; now: number },
): Promise<number | null> {
  const row = await q
    .selectFrom('svc_notify_ledger')
    .select('gatherTime')
    .where('tenantId', '=', tenantId)
    .where('notifyId', '=', notifyId)
    .where('channelId', '=', channelId)
    .where('gatherKey', '=', key)
    .where('endTime', 'is', null)
    .where('gatherTime', '>', new Date(now))
    .orderBy('gatherTime')
    .limit(1)
    .executeTakeFirst();
  return row?.gatherTime?.getTime() ?? null;
}

async function isAlone(q: Queries, { tenantId, channelId }: Entry): Promise<boolean> {
  const key = `flood ${tenantId} ${channelId}`;
  const { rows } = await sql<{ isAlone: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${key}, 0)) as "isAlone"`.execute(q);
  return rows[0]?.isAlone ?? false;
}

async function gotSince(q: Queries, { tenantId, channelId }: Entry, since: Date): Promise<boolean> {
  const row = await q
    .selectFrom('svc_notify_history')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('channelId', '=', channelId)
    .where('createTime', '>=', since)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

async function recent(
  q: Queries,
  { tenantId, channelId }: Entry,
  { count, perMs, now }: Flood & { now: number },
): Promise<number[]> {
  const rows = await q
    .selectFrom('svc_notify_history')
    .select('createTime')
    .where('tenantId', '=', tenantId)
    .where('channelId', '=', channelId)
    .where('createTime', '>', new Date(now - perMs))
    .orderBy('createTime', 'desc')
    .limit(count)
    .execute();
  return rows.map(({ createTime }) => createTime.getTime());
}
