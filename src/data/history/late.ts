import { setImmediate } from 'node:timers/promises';

import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { type ClosedHour, DAY_MS, hourColumns, openHour } from './closed.ts';
import { shareHours } from './lock.ts';

/** No process closes an hour sooner than an hour after its end; the rest is for clocks that differ. */
const MAY_BE_CLOSED_MS = 55 * 60_000;
/** Closed rows that are read and opened until others have their turn. */
const ROWS_AT_ONCE = 50;

type Measured = { deviceId: string; pointId: string; originTime: number; seq: number };
type Series = Pick<Measured, 'deviceId' | 'pointId'>;
type Reach = Series & { start: Date; endTime: Date };

/** Whether hours of some of the values may be closed already. */
export const areLate = (values: readonly Measured[], now: number): boolean =>
  values.some(({ originTime }) => originTime < now - MAY_BE_CLOSED_MS);

/**
 * Those of the values that no closed hour has yet: what comes twice is stored once. Until the end of the transaction no
 * hour of the tenant is closed. Of a closed row the times alone are opened, and the rest where one is the same.
 */
export async function unknownOf<V extends Measured>(
  q: Queries,
  tenantId: string,
  values: readonly V[],
): Promise<V[]> {
  // In this order, and not one statement: what a closing that it waited for has written is seen after the wait.
  const [, reaches] = await Promise.all([shareHours(q, tenantId), reachesOf(q, tenantId, values)]);
  const ofRow = byRow(values, reaches);
  const known = new Set<V>();
  const rows = [...ofRow.keys()];
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    if (from > 0) await setImmediate();
    const page = rows.slice(from, from + ROWS_AT_ONCE);
    const hours = await hoursOf(q, tenantId, page);
    for (const row of page) {
      const closed = hours.get(keyOf(row));
      const hour = closed && openHour(closed);
      for (const value of ofRow.get(row) ?? [])
        if (hour?.has(value.originTime * 1_000, String(value.seq))) known.add(value);
    }
  }
  return values.filter((value) => !known.has(value));
}

const seriesOf = ({ deviceId, pointId }: Series): string => `${deviceId}:${pointId}`;
const keyOf = (row: Series & { start: Date }): string => `${seriesOf(row)}:${row.start.getTime()}`;

/** The closed rows of the days of the values from the first to the last of each, without what is in them. */
async function reachesOf(
  q: Queries,
  tenantId: string,
  values: readonly Measured[],
): Promise<Reach[]> {
  const days = Object.values(
    Object.groupBy(
      values,
      (value) => `${seriesOf(value)}:${Math.floor(value.originTime / DAY_MS)}`,
    ),
  ).flatMap((each) => {
    const [first] = each ?? [];
    const times = (each ?? []).map(({ originTime }) => originTime);
    const [from, to] = [Math.min(...times), Math.max(...times)];
    return first ? [{ deviceId: first.deviceId, pointId: first.pointId, from, to }] : [];
  });
  const { rows } = await sql<Reach>`
    select h.device_id, h.point_id, h.start, h.end_time
    from unnest(${days.map(({ deviceId }) => deviceId)}::bigint[],
      ${days.map(({ pointId }) => pointId)}::bigint[],
      ${days.map(({ from }) => new Date(from))}::timestamptz[],
      ${days.map(({ to }) => new Date(to))}::timestamptz[])
      as k (device_id, point_id, first, last)
    join svc_value_hour h on h.tenant_id = ${tenantId} and h.device_id = k.device_id
      and h.point_id = k.point_id and h.start > k.first - interval '1 day' and h.start <= k.last
      and h.end_time >= k.first
    order by h.device_id, h.point_id, h.start`.execute(q);
  return rows;
}

/** The values by the row that has them, if any has. */
function byRow<V extends Measured>(
  values: readonly V[],
  reaches: readonly Reach[],
): Map<Reach, V[]> {
  const ofSeries = Map.groupBy(reaches, seriesOf);
  const ofRow = new Map<Reach, V[]>();
  for (const value of values) {
    const row = lastBefore(ofSeries.get(seriesOf(value)) ?? [], value.originTime);
    if (row && value.originTime <= row.endTime.getTime())
      ofRow.getOrInsertComputed(row, () => []).push(value);
  }
  return ofRow;
}

/** The last of rows in their order that begins at a time (ms) or before it. */
function lastBefore(rows: readonly Reach[], at: number): Reach | undefined {
  let [from, to] = [0, rows.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((rows[middle]?.start.getTime() ?? Infinity) <= at) from = middle + 1;
    else to = middle;
  }
  return rows[from - 1];
}

async function hoursOf(
  q: Queries,
  tenantId: string,
  page: readonly Reach[],
): Promise<Map<string, ClosedHour>> {
  const { rows } = await sql<ClosedHour & Series>`
    select h.device_id, h.point_id, ${hourColumns}
    from unnest(${page.map(({ deviceId }) => deviceId)}::bigint[],
      ${page.map(({ pointId }) => pointId)}::bigint[],
      ${page.map(({ start }) => start)}::timestamptz[]) as k (device_id, point_id, start)
    join svc_value_hour h on h.tenant_id = ${tenantId} and h.device_id = k.device_id
      and h.point_id = k.point_id and h.start = k.start`.execute(q);
  return new Map(rows.map((row) => [keyOf(row), row]));
}
