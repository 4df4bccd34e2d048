import { type RawBuilder, sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { type ClosedHour, HOUR_MS, hourColumns, openHour } from '../history/closed.ts';
import { DELAY_BINS, delayBin } from '../history/delay.ts';
import { placeIn } from './calendar.ts';

const QUARTER_MS = HOUR_MS / 4;

/** `since` in ms. Each is one statement: an hour that is closed meanwhile is counted once. */
type Since = { tenantId: string; since: number };
type Placed = { place: number; count: number };
type CountRow = (Placed & { hour: null }) | ClosedHour;

const startOf = (ms: number, lengthMs: number): number => Math.floor(ms / lengthMs) * lengthMs;

/** The closed hours in which `since` lies, where it is not the beginning of a quarter: some of their values count. */
const cutHours = ({ tenantId, since }: Since) => sql`
  select null, null, ${hourColumns} from svc_value_hour h where h.tenant_id = ${tenantId}
    and h.start = ${new Date(startOf(since, HOUR_MS))} and ${since % QUARTER_MS !== 0}`;

/** The values of `rows` that were measured from `since` on, and before the quarters that are counted whole. */
function inCutQuarter(
  rows: readonly ClosedHour[],
  since: number,
): { at: number; row: ClosedHour; index: number }[] {
  const [from, to] = [since * 1_000, (startOf(since, QUARTER_MS) + QUARTER_MS) * 1_000];
  return rows.flatMap((row) =>
    Array.from(openHour(row).at, (at, index) => ({ at, row, index })).filter(
      ({ at }) => at >= from && at < to,
    ),
  );
}

async function placed(
  q: Queries,
  given: Since,
  ofRow: RawBuilder<unknown>,
  ofQuarter: RawBuilder<unknown>,
): Promise<{ counts: Map<number, number>; cut: ClosedHour[] }> {
  const { tenantId, since } = given;
  const whole = new Date(Math.ceil(since / QUARTER_MS) * QUARTER_MS);
  const { rows } = await sql<CountRow>`
    select place, count, null::timestamptz as start, null::bigint as driver_id, null::bytea as hour from (
      select ${ofRow} as place, count(*)::float8 as count
      from svc_point_value where tenant_id = ${tenantId} and create_time >= ${new Date(since)} group by 1
      union all
      select ${ofQuarter}, sum(value_count)::float8
      from svc_value_delay where tenant_id = ${tenantId} and start >= ${whole} group by 1) counted
    union all ${cutHours(given)}`.execute(q);
  const counts = new Map<number, number>();
  const cut: ClosedHour[] = [];
  for (const row of rows)
    if (row.hour) cut.push(row);
    else counts.set(row.place, (counts.get(row.place) ?? 0) + row.count);
  return { counts, cut };
}

const listed = (counts: ReadonlyMap<number, number>): Placed[] =>
  Array.from(counts, ([place, count]) => ({ place, count }));

const addOne = (counts: Map<number, number>, place: number): unknown =>
  counts.set(place, (counts.get(place) ?? 0) + 1);

/**
 * Values by their place among the hours or days that begin at `starts` (ms), which are beginnings of quarters of an hour
 * in every zone of today.
 */
export async function countedBy(
  q: Queries,
  given: Since & { starts: readonly number[] },
): Promise<Placed[]> {
  const { starts, since } = given;
  const { counts, cut } = await placed(
    q,
    given,
    placeIn(starts, sql`create_time`),
    placeIn(starts, sql`start`),
  );
  for (const { at } of inCutQuarter(cut, since))
    addOne(
      counts,
      starts.findLastIndex((start) => start * 1_000 <= at),
    );
  return listed(counts);
}

/** Values by the bin of their delay. */
export async function countedByDelay(q: Queries, given: Since): Promise<Placed[]> {
  const bins = sql`${DELAY_BINS.map((bin) => `${bin} ms`)}::interval[]`;
  const { counts, cut } = await placed(
    q,
    given,
    sql`greatest(width_bucket(receive_time - create_time, ${bins}), 1) - 1`,
    sql`width_bucket(delay_ms, ${[...DELAY_BINS]}::int[]) - 1`,
  );
  const opened = new Map<ClosedHour, ReturnType<typeof openHour>>();
  for (const { at, row, index } of inCutQuarter(cut, given.since)) {
    const { received } = opened.getOrInsertComputed(row, () => openHour(row)).value(index);
    addOne(counts, delayBin((received - at) / 1_000));
  }
  return listed(counts);
}

const dimensions = { device: 'device_id', point: 'point_id', driver: 'driver_id' } as const;
type Top = { entityId: string; count: number };
type TopRow = (Top & { hour: null }) | (ClosedHour & Record<'deviceId' | 'pointId', string>);

/** Devices, points or drivers with the most values, most first. */
export async function topOf(
  q: Queries,
  given: Since & { dimension: keyof typeof dimensions; limit: number },
): Promise<Top[]> {
  const { tenantId, since, dimension, limit } = given;
  const of = sql.ref(dimensions[dimension]);
  const whole = new Date(Math.ceil(since / HOUR_MS) * HOUR_MS);
  // Drivers of an hour with several of them are in its bytes.
  const isOfSeveral = sql`${dimension === 'driver'} and h.driver_id = 0`;
  const { rows } = await sql<TopRow>`
    with counted as (
      select ${of} as entity_id, count(*)::float8 as count
      from svc_point_value where tenant_id = ${tenantId} and create_time >= ${new Date(since)} group by 1
      union all
      select ${sql`h.${of}`}, sum(h.value_count)::float8 from svc_value_hour h
      where h.tenant_id = ${tenantId} and h.start >= ${whole} and not (${isOfSeveral}) group by 1)
    select entity_id, sum(count)::float8 as count, null::bigint as device_id, null::bigint as point_id,
      null::timestamptz as start, null::bigint as driver_id, null::bytea as hour
    from counted group by entity_id
    union all
    select null, null, h.device_id, h.point_id, ${hourColumns} from svc_value_hour h
    where h.tenant_id = ${tenantId} and h.start >= ${new Date(startOf(since, HOUR_MS))}
      and (h.start < ${whole} or ${isOfSeveral})`.execute(q);
  const counts = new Map<string, number>();
  const add = (id: string, count: number): unknown => counts.set(id, (counts.get(id) ?? 0) + count);
  for (const row of rows) {
    if (!row.hour) {
      add(row.entityId, row.count);
      continue;
    }
    const hour = openHour(row);
    for (let index = 0; index < hour.count; index += 1) {
      if ((hour.at[index] ?? NaN) < since * 1_000) continue;
      const ofDriver = () => hour.value(index).driverId || row.driverId;
      add(
        { device: () => row.deviceId, point: () => row.pointId, driver: ofDriver }[dimension](),
        1,
      );
    }
  }
  return Array.from(counts, ([entityId, count]) => ({ entityId, count }))
    .toSorted((a, b) => b.count - a.count || Number(BigInt(a.entityId) - BigInt(b.entityId)))
    .slice(0, limit);
}
