import { sql } from 'kysely';

import { Quality } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import { OPEN_MS } from '../command/evidence.ts';
import { CommandStatus, CommandType } from '../command/state.ts';
import { declaredInterval, freshnessOf, intervalOf } from '../value/freshness.ts';

/** Limit also for rarely read points: in a longer time another cause may have set the point. */
const MAX_AGE_MS = 5 * 60_000;

/** Statuses of a write that certainly did not change its point; PENDING was not sent. */
const WITHOUT_EFFECT = [CommandStatus.PENDING, CommandStatus.FAILED, CommandStatus.EXPIRED];

type Place = { tenantId: string; deviceId: string; pointId: string };

/**
 * The value of a point when a write to it is sent. Null if unknown: no good and fresh reading, or since that
 * reading another write may have reached the point, or the device or point was reconfigured. Only a value
 * known to differ can prove the write later.
 */
export async function beforeValue(q: Queries, place: Place, now: number): Promise<string | null> {
  const [latest, written, changed] = await Promise.all([
    latestGood(q, place),
    lastWritten(q, place, now),
    lastChanged(q, place, now - MAX_AGE_MS),
  ]);
  if (!latest) return null;
  // The clock of a device may be slightly ahead.
  const taken = new Date(Math.min(latest.createTime.getTime(), latest.receiveTime.getTime()));
  const stored = { createTime: taken, quality: 'GOOD' } as const;
  const { stale } = freshnessOf(stored, { intervalMs: intervalOf(latest.declared), now });
  if (stale || now - taken.getTime() > MAX_AGE_MS) return null;
  const mayDiffer = written >= taken.getTime() || changed >= taken.getTime();
  return mayDiffer ? null : latest.calValue;
}

const latestGood = (q: Queries, { tenantId, deviceId, pointId }: Place) =>
  q
    .selectFrom('svc_point_latest as l')
    .innerJoin('svc_device as d', (join) =>
      join.onRef('d.tenantId', '=', 'l.tenantId').onRef('d.id', '=', 'l.deviceId'),
    )
    .innerJoin('svc_driver as v', (join) =>
      join.onRef('v.tenantId', '=', 'd.tenantId').onRef('v.id', '=', 'd.driverId'),
    )
    .select(['l.calValue', 'l.createTime', 'l.receiveTime', declaredInterval.as('declared')])
    .where('l.tenantId', '=', tenantId)
    .where('l.deviceId', '=', deviceId)
    .where('l.pointId', '=', pointId)
    .where('l.quality', '=', Quality.GOOD)
    .executeTakeFirst();

/** When the last write to the point in the last 24 h ended (ms): Infinity if one has not, -Infinity without one. */
async function lastWritten(
  q: Queries,
  { tenantId, deviceId, pointId }: Place,
  now: number,
): Promise<number> {
  const { rows } = await sql<{ ended: Date | number | null }>`
    select max(coalesce(finish_time, 'infinity')) as ended from svc_point_command_history
    where tenant_id = ${tenantId} and device_id = ${deviceId} and point_id = ${pointId}
      and type = ${sql.lit(CommandType.WRITE)} and status not in (${sql.join(WITHOUT_EFFECT.map(sql.lit))})
      and send_time > ${new Date(now - OPEN_MS)}`.execute(q);
  return Number(rows[0]?.ended ?? Number.NEGATIVE_INFINITY);
}

/** When the device or point was last configured anew since `since` (ms); -Infinity if it was not. */
async function lastChanged(
  q: Queries,
  { tenantId, deviceId, pointId }: Place,
  since: number,
): Promise<number> {
  const change = await q
    .selectFrom('svc_change_log')
    .select('createTime')
    .where('tenantId', '=', tenantId)
    .where('createTime', '>=', new Date(since))
    .where((eb) => eb.or([eb('deviceId', '=', deviceId), eb('pointId', '=', pointId)]))
    // A group or a label sorts devices and points; what they read and write stays the same.
    .where('entityType', 'not in', ['group_bind', 'label_bind'])
    .orderBy('createTime', 'desc')
    .limit(1)
    .executeTakeFirst();
  return change?.createTime.getTime() ?? Number.NEGATIVE_INFINITY;
}
