import { Quality } from '../../../bus/topics.ts';
import type { Queries } from '../../../db/connect.ts';
import { declaredInterval, freshnessOf, intervalOf } from '../../value/freshness.ts';
import { OPEN_MS } from '../evidence/evidence.ts';
import { CommandStatus, CommandType } from '../state.ts';

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
  const latest = await q
    .selectFrom('svc_point_latest as l')
    .innerJoin('svc_device as d', (join) =>
      join.onRef('d.tenantId', '=', 'l.tenantId').onRef('d.id', '=', 'l.deviceId'),
    )
    .innerJoin('svc_driver as v', (join) =>
      join.onRef('v.tenantId', '=', 'd.tenantId').onRef('v.id', '=', 'd.driverId'),
    )
    .select(['l.calValue', 'l.createTime', 'l.receiveTime', declaredInterval.as('declared')])
    .where('l.tenantId', '=', place.tenantId)
    .where('l.deviceId', '=', place.deviceId)
    .where('l.pointId', '=', place.pointId)
    .where('l.quality', '=', Quality.GOOD)
    .executeTakeFirst();
  if (!latest) return null;
  // The clock of a device may be slightly ahead.
  const taken = new Date(Math.min(latest.createTime.getTime(), latest.receiveTime.getTime()));
  const stored = { createTime: taken, quality: 'GOOD' } as const;
  const { stale } = freshnessOf(stored, { intervalMs: intervalOf(latest.declared), now });
  if (stale || now - taken.getTime() > MAX_AGE_MS) return null;
  const mayDiffer = (await wasWritten(q, place, taken, now)) || (await wasChanged(q, place, taken));
  return mayDiffer ? null : latest.calValue;
}

/** Whether a write to the point in the last 24 h was unfinished at `since` or later. */
async function wasWritten(
  q: Queries,
  { tenantId, deviceId, pointId }: Place,
  since: Date,
  now: number,
): Promise<boolean> {
  const write = await q
    .selectFrom('svc_point_command_history')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('deviceId', '=', deviceId)
    .where('pointId', '=', pointId)
    .where('type', '=', CommandType.WRITE)
    .where('status', 'not in', WITHOUT_EFFECT)
    .where('sendTime', '>', new Date(now - OPEN_MS))
    .where((eb) => eb.or([eb('finishTime', 'is', null), eb('finishTime', '>=', since)]))
    .limit(1)
    .executeTakeFirst();
  return write !== undefined;
}

async function wasChanged(
  q: Queries,
  { tenantId, deviceId, pointId }: Place,
  since: Date,
): Promise<boolean> {
  const change = await q
    .selectFrom('svc_change_log')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('createTime', '>=', since)
    .where((eb) => eb.or([eb('deviceId', '=', deviceId), eb('pointId', '=', pointId)]))
    .limit(1)
    .executeTakeFirst();
  return change !== undefined;
}
