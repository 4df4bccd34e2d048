import { sql } from 'kysely';

import type { AttributeType, Payload } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import { acrossTenants, inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { fullDisk } from '../../kernel/app/disk-room.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { slot } from '../../kernel/slot.ts';
import { TtlCache } from '../../kernel/ttl-cache.ts';
import {
  atDeviceVersion,
  type DeviceVersion,
  requirePresent,
} from '../../manager/device/version.ts';
import { type AfterBreak, startListening } from '../../manager/driver/listening.ts';
import { ValueType } from '../../manager/entity/value-type.ts';
import { areLate, unknownOf } from '../history/late.ts';
import { declaredInterval, intervalOf } from '../value/freshness.ts';
import { keyOf, type Pair } from '../value/pair.ts';
import { newestOfEach, type StoredValue, storedValue } from '../value/stored-value.ts';
import { announceLatest } from './announce.ts';
import { measureStored } from './measure-stored.ts';
import { countRefused, type Refused } from './refused-values.ts';

type Batch = Payload<'svc.e.value'>;

const PREFETCH = 2;
/** Startup creates partitions for eight weeks ahead; a long-running process repeats that. */
const PARTITIONS_MS = 6 * 3_600_000;

/**
 * Stores reported values: history and the latest value of each point in one transaction per batch,
 * acknowledged after its commit (docs/specification/bus.md, svc.e.value). Repeated batches change nothing.
 */
export async function startIngest(
  app: App,
  afterBreak: AfterBreak,
): Promise<{ stop(): Promise<void> }> {
  const subscription = await app.bus.subscribe(
    'svc.e.value',
    { queue: 'svc.q.value', key: '#', prefetch: PREFETCH },
    (batch) => store(app, batch),
  );
  const listening = await startListening(app, 'value', 'svc.q.value', afterBreak);
  let maintaining: Promise<void> = Promise.resolve();
  const cancel = app.clock.every(PARTITIONS_MS, () => (maintaining = maintain(app)));
  return {
    async stop() {
      cancel();
      await listening.stop();
      await maintaining;
      await subscription.cancel();
    },
  };
}

/** Never throws: values of a week without a partition go to the default partition. */
async function maintain(app: App): Promise<void> {
  const now = new Date(app.clock.now());
  try {
    await acrossTenants(app.db, 'ingest', (q) =>
      sql`select svc_maintain_partitions(${now}::timestamptz)`.execute(q),
    );
  } catch (error) {
    app.log.error({ error }, 'partitions of the next weeks could not be made');
  }
}

async function store(app: App, batch: Batch): Promise<void> {
  const { tenantId, driverId, driverCode } = batch;
  const now = app.clock.now();
  const hasRoom = (await fullDisk(app)) === null;
  const { firstRefused, moved, counts } = await atDeviceVersion(app, tenantId, async (at) => {
    const known = await loadFacts(app, at, driverId, batch.values);
    const values: StoredValue[] = [];
    const refused: Refused[] = [];
    for (const value of batch.values) {
      const fact = known.get(`${value.deviceId}:${value.pointId}`);
      if (fact?.driverCode === driverCode && fact.driverId === driverId) {
        if (hasRoom) values.push(storedValue(value, fact.type, now));
        else refused.push({ ...value, reason: 'NO_ROOM' });
        if (value.dropped !== undefined) refused.push({ ...value, reason: 'DROPPED' });
      } else refused.push({ ...value, reason: fact ? 'OTHER_DRIVER' : 'UNKNOWN_POINT' });
    }
    const newest = newestOfEach(values);
    const isLate = areLate(values, now);
    const work = async (q: Queries) => {
      const unknown = isLate ? await unknownOf(q, tenantId, values) : values;
      const present = requirePresent(q, at);
      const storing =
        values.length > 0 &&
        Promise.all([insertHistory(q, batch, unknown, now), upsertLatest(q, batch, newest, now)]);
      const [counted] = await Promise.all([countRefused(q, batch, refused, now), storing, present]);
      return counted;
    };
    const first = isLate
      ? await inTenant(app.db, tenantId, work)
      : await inOneTrip(app.db, tenantId, work);
    const number = { stored: values.length, refused: batch.values.length - values.length };
    return { firstRefused: first, moved: newest, counts: number };
  });
  measureStored(app, batch, counts);
  // Stored, and not acknowledged yet.
  app.crashAt('ingest');
  await announceLatest(app, tenantId, moved);
  for (const { reason, deviceId, pointId } of firstRefused)
    app.log.warn(
      { tenantId, driverCode, node: batch.node, reason, deviceId, pointId },
      'a value was not stored; more for this reason are counted (system health)',
    );
}

type Origin = Pick<Batch, 'tenantId' | 'driverId'>;

const columns = sql`(tenant_id, device_id, point_id, driver_id, create_time, seq, raw_value,
  cal_value, num_value, quality, receive_time, claimed_time, issue)`;

/** Numbers of milliseconds cost less than texts of times, and nulls less than the same text again. */
const rows = ({ tenantId, driverId }: Origin, values: readonly StoredValue[], now: number) => {
  const doubts = doubtsOf(values);
  return sql`
  select ${tenantId}::bigint, v.device_id, v.point_id, ${driverId}::bigint,
    timestamptz 'epoch' + v.create_ms * interval '1 millisecond', v.seq, v.raw_value,
    coalesce(v.cal_value, v.raw_value), v.num_value, v.quality, ${new Date(now)}::timestamptz,
    ${doubts.read}
  from unnest(${values.map((value) => value.deviceId)}::bigint[],
    ${values.map((value) => value.pointId)}::bigint[],
    ${values.map((value) => value.originTime)}::double precision[],
    ${values.map((value) => value.seq)}::bigint[],
    ${values.map((value) => value.rawValue)}::text[],
    ${values.map(({ calValue, rawValue }) => (calValue === rawValue ? null : calValue))}::text[],
    ${values.map((value) => value.numValue)}::double precision[],
    ${values.map((value) => value.quality)}::smallint[] ${doubts.arrays})
    as v (device_id, point_id, create_ms, seq, raw_value, cal_value, num_value, quality
      ${doubts.names})`;
};

/** Most batches have none, and two arrays of 5,000 nulls would be a tenth of their cost. */
function doubtsOf(values: readonly StoredValue[]) {
  if (values.every(({ claimedTime, issue }) => claimedTime === null && issue === undefined))
    return { read: sql`null::timestamptz, null::text`, arrays: sql``, names: sql`` };
  // Up to the year 9999, beyond what a number of microseconds says exactly.
  const claimed = values.map(({ claimedTime }) => claimedTime && new Date(claimedTime));
  const issues = values.map((value) => value.issue ?? null);
  return {
    read: sql`v.claimed_time, v.issue`,
    arrays: sql`, ${claimed}::timestamptz[], ${issues}::text[]`,
    names: sql`, claimed_time, issue`,
  };
}

/** Those of the ids that the tenant has: read once, not by whatever index for each value. */
const idsIn = (table: ReturnType<typeof sql>, tenantId: string, ids: readonly string[]) => sql`
  select id from ${table} where tenant_id = ${tenantId} and id = any(${[...new Set(ids)]}::bigint[])`;

/** Answers the number of new rows. */
export async function insertHistory(
  q: Queries,
  origin: Origin,
  values: readonly StoredValue[],
  now: number,
): Promise<number> {
  const inserting = sql`insert into svc_point_value ${columns} ${rows(origin, values, now)}
    on conflict do nothing`;
  const { numAffectedRows } = await inserting.execute(q);
  return Number(numAffectedRows ?? 0n);
}

/**
 * Ordered by key against deadlocks of two writers. A device or point deleted while the batch is stored gets no
 * latest value, because nothing would delete that row later. Origin times are capped at reception, so that a
 * time in the future does not block later values.
 */
export async function upsertLatest(
  q: Queries,
  batch: Origin,
  newest: readonly StoredValue[],
  now: number,
) {
  const { tenantId } = batch;
  const devices = newest.map(({ deviceId }) => deviceId);
  const points = newest.map(({ pointId }) => pointId);
  await sql`
    with devices as materialized (${idsIn(sql`svc_device`, tenantId, devices)}),
      points as materialized (${idsIn(sql`svc_point`, tenantId, points)})
    insert into svc_point_latest as l ${columns} ${rows(batch, newest, now)}
    where exists (select from devices d where d.id = v.device_id)
      and exists (select from points p where p.id = v.point_id)
    order by v.device_id, v.point_id
    on conflict (tenant_id, device_id, point_id) do update set
      driver_id = excluded.driver_id, create_time = excluded.create_time, seq = excluded.seq,
      raw_value = excluded.raw_value, cal_value = excluded.cal_value,
      num_value = excluded.num_value, quality = excluded.quality,
      receive_time = excluded.receive_time, claimed_time = excluded.claimed_time, issue = excluded.issue
    where least(l.create_time, l.receive_time) > excluded.receive_time
      or (least(excluded.create_time, excluded.receive_time), excluded.create_time, excluded.seq)
        >= (least(l.create_time, l.receive_time), l.create_time, l.seq)`.execute(q);
}

/** The driver that serves a point of a device, and the type of the point. */
type PointFact = {
  driverId: string;
  driverCode: string;
  type: AttributeType;
  /** The read interval of its driver. */
  intervalMs: number;
};

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
  const found = await q
    .selectFrom('svc_device as d')
    .innerJoin('svc_driver as v', (join) =>
      join.onRef('v.tenantId', '=', 'd.tenantId').onRef('v.id', '=', 'd.driverId'),
    )
    .innerJoin('svc_point as p', (join) =>
      join.onRef('p.tenantId', '=', 'd.tenantId').onRef('p.profileId', '=', 'd.profileId'),
    )
    .select(['d.id as deviceId', 'p.id as pointId', 'p.pointTypeFlag'])
    .select(['v.id as driverId', 'v.driverCode', declaredInterval.as('declared')])
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
    found
      .filter((row) => wanted.has(keyOf(row)))
      .map(({ driverId, driverCode, pointTypeFlag, declared, ...key }) => [
        keyOf(key),
        {
          driverId,
          driverCode,
          type: nameOf(ValueType, pointTypeFlag),
          intervalMs: intervalOf(declared),
        },
      ]),
  );
}
