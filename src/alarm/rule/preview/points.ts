import { type Selectable, sql } from 'kysely';

import { declaredInterval } from '../../../data/value/freshness.ts';
import type { Queries } from '../../../db/connect.ts';
import type { PointTable } from '../../../db/schema/manager.ts';
import { findRow, rowOf } from '../../../kernel/entity/row.ts';
import { NotFound, Unprocessable } from '../../../kernel/errors.ts';
import { EnableFlag } from '../../../kernel/input/flag.ts';
import { MAX_AGGREGATED } from '../../condition/aggregate.ts';
import { watchesDevice } from '../../condition/devices.ts';
import { membersOf } from '../../condition/peers.ts';
import type { RuleContent } from '../../kind/rule-ext.ts';
import type { Device } from '../replay/peer-facts.ts';
import type { Watched } from './asked.ts';

/** Devices at a time, and of a rule on every point their points. */
const MAX_DEVICES = 20;
const MAX_POINTS = 200;

type Of = Omit<Watched, 'target'> & { tenantId: string; content: RuleContent };

/** A device with a point. */
type Holder = Device & { pointId: string; pointName: string; pointTypeFlag: number };

export type WatchedPoints = {
  /** Null: every point. */
  point: Selectable<PointTable> | null;
  holders: Holder[];
  /** What there is more of. */
  more: ('DEVICES' | 'POINTS')[];
};

/**
 * The devices that have a point, or any, and that the rule watches; or the one that is asked for. Throws NotFound for a point or
 * device that is not there, and Unprocessable for a device without the point.
 */
export async function watchedPoints(q: Queries, of: Of): Promise<WatchedPoints> {
  const { tenantId, entityId, deviceId, content } = of;
  const groupId = content.peers?.groupId;
  const ext = sql`${JSON.stringify({ content: { devices: content.devices } })}::jsonb`;
  const isEvery = entityId === '0';
  const all = q
    .selectFrom('svc_device as d')
    .innerJoin('svc_point as p', (join) =>
      join.onRef('p.tenantId', '=', 'd.tenantId').onRef('p.profileId', '=', 'd.profileId'),
    )
    .leftJoin('svc_driver as v', (join) =>
      join.onRef('v.tenantId', '=', 'd.tenantId').onRef('v.id', '=', 'd.driverId'),
    )
    .select(['d.id as deviceId', 'd.deviceName', 'd.driverId', declaredInterval.as('declared')])
    .select(['p.id as pointId', 'p.pointName', 'p.pointTypeFlag'])
    .where('d.tenantId', '=', tenantId)
    .orderBy('d.id')
    .orderBy('p.id');
  let chosen = all.where(watchesDevice(ext, sql`d.tenant_id`, sql`d.id`));
  if (groupId !== undefined)
    chosen = chosen.where(sql<boolean>`d.id in (${membersOf(tenantId, groupId, entityId)})`);
  let read = deviceId === undefined ? chosen : all.where('d.id', '=', deviceId);
  if (content.aggregate) read = read.where('d.enableFlag', '=', EnableFlag.ENABLE);
  const most = content.aggregate ? MAX_AGGREGATED : MAX_DEVICES;
  if (!isEvery) read = read.where('p.id', '=', entityId);
  // What is disabled is not silent.
  else if (content.condition.operator === 'nodata')
    read = read
      .where('d.enableFlag', '=', EnableFlag.ENABLE)
      .where('p.enableFlag', '=', EnableFlag.ENABLE);
  const [point, asked, found] = await Promise.all([
    isEvery ? null : rowOf(q, 'svc_point', tenantId, entityId),
    deviceId === undefined ? undefined : findRow(q, 'svc_device', tenantId, deviceId),
    read.limit((isEvery ? MAX_POINTS : most) + 1).execute(),
  ]);
  if (deviceId !== undefined && !asked) throw new NotFound('Device');
  if (deviceId !== undefined && found.length === 0 && !isEvery)
    throw new Unprocessable("The point does not belong to the device's profile");
  const devices = new Set(found.map((one) => one.deviceId));
  const first = new Set([...devices].slice(0, most));
  return {
    point,
    holders: found.slice(0, isEvery ? MAX_POINTS : most).filter((one) => first.has(one.deviceId)),
    more: [
      ...(devices.size > most ? (['DEVICES'] as const) : []),
      ...(isEvery && found.length > MAX_POINTS ? (['POINTS'] as const) : []),
    ],
  };
}
