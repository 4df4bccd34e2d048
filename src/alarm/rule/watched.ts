import type { AttributeType } from '../../bus/topics.ts';
import type { Queries } from '../../db/connect.ts';
import { findRow, rowOf } from '../../kernel/entity/row.ts';
import { NotFound, Unprocessable } from '../../kernel/errors.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { ValueType } from '../../manager/entity/value-type.ts';
import type { Episode } from './preview-answer.ts';

type Device = { deviceId: string; deviceName: string; driverId: string };
type Of = { tenantId: string; pointId: string; deviceId: string | undefined };

/** Devices of a profile at a time. */
const MAX_DEVICES = 20;
const MAX_EPISODES = 50;
const MAX_COUNTED = 1_000;

export type Watched = {
  point: { pointName: string; unit: string };
  pointType: AttributeType;
  devices: Device[];
  hasMore: boolean;
};

/**
 * A point and the devices that have it, or the one that is asked for. Throws NotFound for a point or device that is
 * not there, and Unprocessable for a device without the point.
 */
export async function watchedBy(q: Queries, { tenantId, pointId, deviceId }: Of): Promise<Watched> {
  const devices = q
    .selectFrom('svc_device as d')
    .innerJoin('svc_point as p', (join) =>
      join.onRef('p.tenantId', '=', 'd.tenantId').onRef('p.profileId', '=', 'd.profileId'),
    )
    .select(['d.id as deviceId', 'd.deviceName', 'd.driverId'])
    .where('d.tenantId', '=', tenantId)
    .where('p.id', '=', pointId)
    .orderBy('d.id')
    .limit(MAX_DEVICES + 1);
  const [point, asked, found] = await Promise.all([
    rowOf(q, 'svc_point', tenantId, pointId),
    deviceId === undefined ? undefined : findRow(q, 'svc_device', tenantId, deviceId),
    (deviceId === undefined ? devices : devices.where('d.id', '=', deviceId)).execute(),
  ]);
  if (deviceId !== undefined && !asked) throw new NotFound('Device');
  if (deviceId !== undefined && found.length === 0)
    throw new Unprocessable("The point does not belong to the device's profile");
  return {
    point,
    pointType: nameOf(ValueType, point.pointTypeFlag),
    devices: found.slice(0, MAX_DEVICES),
    hasMore: found.length > MAX_DEVICES,
  };
}

type Raised = Of & { ruleId: string; from: number; to: number };

/** What a stored rule did raise in a span; throws NotFound. */
export async function raisedBy(
  q: Queries,
  { tenantId, ruleId, pointId, deviceId, from, to }: Raised,
): Promise<{ ruleName: string; changeTime: string; count: number; episodes: Episode[] }> {
  let alarms = q
    .selectFrom('svc_entity_alarm as a')
    .leftJoin('svc_device as d', (join) =>
      join.onRef('d.tenantId', '=', 'a.tenantId').onRef('d.id', '=', 'a.deviceId'),
    )
    .select(['a.id as alarmId', 'a.deviceId', 'd.deviceName', 'a.createTime'])
    .select(['a.firstTriggerTime', 'a.lastRecoverTime'])
    .where('a.tenantId', '=', tenantId)
    .where('a.ruleId', '=', ruleId)
    .where('a.pointId', '=', pointId)
    .where('a.createTime', '>=', new Date(from))
    .where('a.createTime', '<=', new Date(to));
  if (deviceId !== undefined) alarms = alarms.where('a.deviceId', '=', deviceId);
  const [rule, rows] = await Promise.all([
    rowOf(q, 'svc_rule', tenantId, ruleId),
    alarms.orderBy('a.createTime', 'desc').orderBy('a.id', 'desc').limit(MAX_COUNTED).execute(),
  ]);
  return {
    ruleName: rule.ruleName,
    changeTime: rule.operateTime.toISOString(),
    count: rows.length,
    episodes: rows.slice(0, MAX_EPISODES).map((row) => ({
      alarmId: row.alarmId,
      deviceId: row.deviceId,
      deviceName: row.deviceName ?? '',
      from: (row.firstTriggerTime ?? row.createTime).toISOString(),
      fired: row.createTime.toISOString(),
      to: row.lastRecoverTime?.toISOString() ?? null,
      extreme: null,
    })),
  };
}
