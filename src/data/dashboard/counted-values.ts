import { type RawBuilder, sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { type ClosedHour, HOUR_MS, hourColumns, openHour } from '../history/closed.ts';
import { DELAY_BINS } from '../history/delay.ts';
import { firstAt } from '../history/hour.ts';
import { placeIn } from './calendar.ts';

const QUARTER_MS = HOUR_MS / 4;

/**
 * `since` in ms: counted from the quarter of an hour in which it lies, as closed hours are. Each is one statement: an hour
 * that is closed meanwhile is counted once.
 */
type Since = { tenantId: string; since: number };
type Placed = { place: number; count: number };

const quarterOf = ({ since }: Since): Date => new Date(Math.floor(since / QUARTER_MS) * QUARTER_MS);

async function placed(
  q: Queries,
  given: Since,
  ofRow: RawBuilder<unknown>,
  ofQuarter: RawBuilder<unknown>,
): Promise<Placed[]> {
  const { tenantId } = given;
  const from = quarterOf(given);
  const { rows } = await sql<Placed>`
    select place, sum(count)::float8 as count from (
      select ${ofRow} as place, count(*)::float8 as count
      from svc_point_value where tenant_id = ${tenantId} and create_time >= ${from} group by 1
      union all
      select ${ofQuarter}, sum(value_count)::float8
      from svc_value_delay where tenant_id = ${tenantId} and start >= ${from} group by 1) counted
    group by place`.execute(q);
  return rows;
}

/**
 * Values by their place among the hours or days that begin at `starts` (ms), which are beginnings of quarters of an hour
 * in every zone of today.
 */
export const countedBy = (
  q: Queries,
  { starts, ...given }: Since & { starts: readonly number[] },
): Promise<Placed[]> =>
  placed(q, given, placeIn(starts, sql`create_time`), placeIn(starts, sql`start`));

/** Values by the bin of their delay. */
export const countedByDelay = (q: Queries, given: Since): Promise<Placed[]> =>
  placed(
    q,
    given,
    sql`greatest(width_bucket(receive_time - create_time, ${sql`${DELAY_BINS.map((bin) => `${bin} ms`)}::interval[]`}), 1) - 1`,
    sql`width_bucket(delay_ms, ${[...DELAY_BINS]}::int[]) - 1`,
  );

const dimensions = { device: 'device_id', point: 'point_id', driver: 'driver_id' } as const;
type Top = { entityId: string; count: number };
type TopRow = (Top & { hour: null }) | (ClosedHour & Record<'deviceId' | 'pointId', string>);

/** Devices, points or drivers with the most values, most first. */
export async function topOf(
  q: Queries,
  given: Since & { dimension: keyof typeof dimensions; limit: number },
): Promise<Top[]> {
  const { tenantId, dimension, limit } = given;
  const of = sql.ref(dimensions[dimension]);
  const from = quarterOf(given);
  // Drivers of a row with several of them are in its bytes.
  const isOfSeveral = sql`${dimension === 'driver'} and h.driver_id = 0`;
  const { rows } = await sql<TopRow>`
    with counted as (
      select ${of} as entity_id, count(*)::float8 as count
      from svc_point_value where tenant_id = ${tenantId} and create_time >= ${from} group by 1
      union all
      select ${sql`h.${of}`}, sum(h.value_count)::float8 from svc_value_hour h
      where h.tenant_id = ${tenantId} and h.start >= ${from} and not (${isOfSeveral}) group by 1)
    select entity_id, sum(count)::float8 as count, null::bigint as device_id, null::bigint as point_id,
      null::timestamptz as start, null::bigint as driver_id, null::bytea as hour
    from counted group by entity_id
    union all
    select null, null, h.device_id, h.point_id, ${hourColumns} from svc_value_hour h
    where h.tenant_id = ${tenantId} and h.start > ${from}::timestamptz - interval '1 day'
      and h.end_time >= ${from} and (h.start < ${from} or ${isOfSeveral})`.execute(q);
  const counts = new Map<string, number>();
  const add = (id: string, count: number): unknown => counts.set(id, (counts.get(id) ?? 0) + count);
  for (const row of rows) {
    if (!row.hour) {
      add(row.entityId, row.count);
      continue;
    }
    const hour = openHour(row);
    const first = firstAt(hour.at, from.getTime() * 1_000);
    if (dimension !== 'driver')
      add(dimension === 'device' ? row.deviceId : row.pointId, hour.count - first);
    else if (row.driverId !== '0') add(row.driverId, hour.count - first);
    else for (let index = first; index < hour.count; index += 1) add(hour.driverId(index), 1);
  }
  return Array.from(counts, ([entityId, count]) => ({ entityId, count }))
    .toSorted((a, b) => b.count - a.count || Number(BigInt(a.entityId) - BigInt(b.entityId)))
    .slice(0, limit);
}
