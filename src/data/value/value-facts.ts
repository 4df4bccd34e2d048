import type { AttributeType } from '../../bus/topics.ts';
import type { Clock } from '../../core/clock.ts';
import { nameOf } from '../../core/input/flag.ts';
import { TtlCache } from '../../core/ttl-cache.ts';
import type { Queries } from '../../db/connect.ts';
import { ValueType } from '../../manager/profile/value-type.ts';

/** The driver that serves a point of a device, and the type of the point. */
type PointFact = { driverId: string; driverCode: string; type: AttributeType };

/** Upper bound for noticing a deleted device or a changed type. */
const TTL_MS = 10_000;
const MAX_FACTS = 200_000;

type Key = { deviceId: string; pointId: string };
const keyOf = (tenantId: string, { deviceId, pointId }: Key) =>
  `${tenantId}:${deviceId}:${pointId}`;

export type ValueFacts = {
  /** The facts of each existing pair of device and point of one profile, by `device:point`. */
  load(
    q: Queries,
    tenantId: string,
    driverId: string,
    keys: readonly Key[],
  ): Promise<Map<string, PointFact>>;
};

/** A short-lived, bounded cache of points, so that a value needs no query of its own. */
export function createValueFacts(clock: Clock): ValueFacts {
  const known = new TtlCache<PointFact>(clock, TTL_MS, MAX_FACTS);
  return {
    async load(q, tenantId, ofDriver, keys) {
      const facts = new Map<string, PointFact>();
      const missing = new Map<string, Set<string>>();
      for (const key of keys) {
        const fact = known.get(keyOf(tenantId, key));
        // Query again for another driver: the device may have moved to this one.
        if (fact?.driverId === ofDriver) facts.set(`${key.deviceId}:${key.pointId}`, fact);
        else missing.set(key.deviceId, (missing.get(key.deviceId) ?? new Set()).add(key.pointId));
      }
      if (missing.size === 0) return facts;
      const rows = await q
        .selectFrom('svc_device as d')
        .innerJoin('svc_driver as v', (join) =>
          join.onRef('v.tenantId', '=', 'd.tenantId').onRef('v.id', '=', 'd.driverId'),
        )
        .innerJoin('svc_point as p', (join) =>
          join.onRef('p.tenantId', '=', 'd.tenantId').onRef('p.profileId', '=', 'd.profileId'),
        )
        .select(['d.id as deviceId', 'p.id as pointId', 'p.pointTypeFlag'])
        .select(['v.id as driverId', 'v.driverCode'])
        .where('d.tenantId', '=', tenantId)
        .where((eb) => eb('d.id', '=', eb.fn.any(eb.val([...missing.keys()]))))
        .where((eb) =>
          eb('p.id', '=', eb.fn.any(eb.val([...new Set(keys.map(({ pointId }) => pointId))]))),
        )
        .execute();
      for (const { deviceId, pointId, driverId, driverCode, pointTypeFlag } of rows) {
        if (!missing.get(deviceId)?.has(pointId)) continue;
        const fact = { driverId, driverCode, type: nameOf(ValueType, pointTypeFlag) };
        known.set(keyOf(tenantId, { deviceId, pointId }), fact);
        facts.set(`${deviceId}:${pointId}`, fact);
      }
      return facts;
    },
  };
}
