import type { AttributeType } from '../../bus/topics.ts';
import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { slot } from '../../kernel/slot.ts';
import { TtlCache } from '../../kernel/ttl-cache.ts';
import { type DeviceVersion, requirePresent } from '../../manager/device/version.ts';
import { ValueType } from '../../manager/entity/value-type.ts';
import { keyOf, type Pair } from './pair.ts';

/** The driver that serves a point of a device, and the type of the point. */
type PointFact = { driverId: string; driverCode: string; type: AttributeType };

/** Frees what is not reported any more; changes act by the version. */
const KEPT_MS = 300_000;
const MAX_FACTS = 200_000;

/** By `device:point`. */
type PointFacts = Map<string, PointFact>;

/** A bounded cache of points, each with the version it was read at, and by tenant what is being asked for. */
const VALUE_FACTS = slot((clock) => ({
  known: new TtlCache<PointFact & { version: string }>(clock, KEPT_MS, MAX_FACTS),
  asking: new Map<string, Promise<unknown>>(),
}));

/**
 * As `factsOf`; without a query while all are known for this driver at this version. Ingest and rules get the same
 * batches at the same time: what one of them is asking for is not asked again.
 */
export async function loadFacts(
  app: App,
  at: DeviceVersion,
  ofDriver: string,
  keys: readonly Pair[],
): Promise<PointFacts> {
  const { tenantId, version } = at;
  const { known, asking } = app.of(VALUE_FACTS);
  await asking.get(tenantId)?.catch(() => {});
  const facts: PointFacts = new Map();
  const missing: Pair[] = [];
  for (const key of keys) {
    const fact = known.get(`${tenantId}:${keyOf(key)}`);
    // Query again for another driver: the device may have moved to this one.
    if (fact?.version === version && fact.driverId === ofDriver) facts.set(keyOf(key), fact);
    else missing.push(key);
  }
  if (missing.length === 0) return facts;
  const asked = inOneTrip(app.db, tenantId, async (q) => {
    const [read] = await Promise.all([factsOf(q, tenantId, missing), requirePresent(q, at)]);
    return read;
  });
  asking.set(tenantId, asked);
  try {
    for (const [key, fact] of await asked) {
      known.set(`${tenantId}:${key}`, { ...fact, version });
      facts.set(key, fact);
    }
  } finally {
    if (asking.get(tenantId) === asked) asking.delete(tenantId);
  }
  return facts;
}

/** The facts of each existing pair of device and point of one profile. */
export async function factsOf(
  q: Queries,
  tenantId: string,
  keys: readonly Pair[],
): Promise<PointFacts> {
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
    .where((eb) =>
      eb('d.id', '=', eb.fn.any(eb.val([...new Set(keys.map(({ deviceId }) => deviceId))]))),
    )
    .where((eb) =>
      eb('p.id', '=', eb.fn.any(eb.val([...new Set(keys.map(({ pointId }) => pointId))]))),
    )
    .execute();
  const wanted = new Set(keys.map(keyOf));
  return new Map(
    rows
      .filter((row) => wanted.has(keyOf(row)))
      .map(({ driverId, driverCode, pointTypeFlag, ...key }) => [
        keyOf(key),
        { driverId, driverCode, type: nameOf(ValueType, pointTypeFlag) },
      ]),
  );
}
