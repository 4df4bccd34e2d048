import { type RawBuilder, sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { decodeHour, type Hour, type HourValue } from './hour.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Closed hours of a point of a device, of one day of UTC: its values from `start` until the next row of the day. */
export type ClosedHour = { start: Date; driverId: string; hour: Buffer };
export const hourColumns = sql`h.start, h.driver_id, h.hour`;

type Id = string | RawBuilder<unknown>;
/** A point of a device, or expressions of them. */
export type SeriesOf = { tenantId: string; deviceId: Id; pointId: Id };
/** Moments, both included. */
export type Reach = { from: RawBuilder<unknown>; to: RawBuilder<unknown> };

export const momentOf = (ms: number): RawBuilder<Date> => sql`${new Date(ms)}::timestamptz`;

/** A moment in microseconds since the epoch, exact until the year 2255. */
export const microsOf = (time: RawBuilder<unknown>): RawBuilder<number> =>
  sql`(extract(epoch from ${time}) * 1000000)::float8`;

/** `from` and `where` of the closed hours (`h`) that have values of a series in the reach, or may have. */
export const hoursIn = ({ tenantId, deviceId, pointId }: SeriesOf, { from, to }: Reach) => sql`
  svc_value_hour h where h.tenant_id = ${tenantId} and h.device_id = ${deviceId}
    and h.point_id = ${pointId} and h.start > ${from} - interval '1 day' and h.start <= ${to}
    and h.end_time >= ${from}`;

/**
 * Selects of the closed hours in the reach those that hold its newest `most` values, or its oldest, in that order; the
 * hours at its ends may hold others beside.
 */
export function hoursWith(
  series: SeriesOf,
  reach: Reach,
  { most, newestFirst }: { most: number; newestFirst: boolean },
): RawBuilder<ClosedHour> {
  const order = sql.raw(newestFirst ? 'desc' : 'asc');
  // A value at the very begin of the reach may be one that the page before ended with.
  const isWhole = newestFirst ? sql`h.end_time < ${reach.to}` : sql`h.start > ${reach.from}`;
  return sql`
    select ${hourColumns} from (
      select h.*, coalesce(sum(h.value_count) filter (where ${isWhole}) over (order by h.start ${order}
        rows between unbounded preceding and 1 preceding), 0) as nearer
      from (select h.start, h.end_time, h.driver_id, h.hour, h.value_count from ${hoursIn(series, reach)}
        order by h.start ${order} limit ${most + 1}::int) h
    ) h where h.nearer < ${most}::int order by h.start ${order}`;
}

/** Whether a series has closed hours in a span (ms): what is read beside it of the hot rows is not all then. */
export async function hasClosed(
  q: Queries,
  series: SeriesOf,
  { from, to }: { from: number; to: number },
): Promise<boolean> {
  const reach = { from: momentOf(from), to: momentOf(to) };
  const { rows } = await sql`select from ${hoursIn(series, reach)} limit 1`.execute(q);
  return rows.length > 0;
}

/** `times`: as of `decodeHour`. */
export const openHour = ({ start, hour }: ClosedHour, times?: Float64Array): Hour =>
  decodeHour(start.getTime() * 1_000, hour, times);

/** All values of closed hours, in the order of the hours, each with its driver. */
export function* valuesOf(hours: readonly ClosedHour[]): Generator<HourValue> {
  for (const closed of hours) {
    const hour = openHour(closed);
    for (let index = 0; index < hour.count; index += 1) {
      const value = hour.value(index);
      yield value.driverId === '' ? { ...value, driverId: closed.driverId } : value;
    }
  }
}

/** Times (microseconds) and sequences: the order of the values of a series. */
export const inOrder = (a: { at: number; seq: string }, b: { at: number; seq: string }): number => {
  if (a.at !== b.at) return a.at - b.at;
  const difference = BigInt(a.seq) - BigInt(b.seq);
  return Number(difference > 0n) - Number(difference < 0n);
};

/** Without those of `hot` that a closed hour has too; in order. */
export function merged<V extends { at: number; seq: string }>(
  closed: readonly V[],
  hot: readonly V[],
): V[] {
  if (hot.length === 0) return closed.toSorted(inOrder);
  const known = new Set(closed.map(({ at, seq }) => `${at}.${seq}`));
  return [...closed, ...hot.filter(({ at, seq }) => !known.has(`${at}.${seq}`))].toSorted(inOrder);
}

/** Whole milliseconds of a number of microseconds, or of the decimal text of one that is larger (a claimed time, ahead). */
export const dateOf = (micros: number | string): Date =>
  new Date(
    typeof micros === 'number' ? Math.floor(micros / 1_000) : Number(BigInt(micros) / 1_000n),
  );
