import { sql } from 'kysely';

import type { Queries } from '../../../db/connect.ts';
import { type ClosedHour, DAY_MS, HOUR_MS, hourColumns } from '../closed.ts';
import { DELAY_BINS, delayBin } from '../delay.ts';
import type { HourValue } from '../hour.ts';
import type { Closing } from './fold.ts';
import type { HotValue } from './hot.ts';
import { type Group, MAX_VALUES } from './part.ts';
import type { Statistics } from './statistics.ts';

const QUARTER_MICROS = HOUR_MS * 250;

export const groupKey = (group: { deviceId: string; pointId: string; day: number }): string =>
  `${group.deviceId}:${group.pointId}:${group.day}`;

/** A moment of a number of microseconds since the epoch. */
const moment = (micros: ReturnType<typeof sql>) =>
  sql`timestamptz 'epoch' + ${micros} * interval '1 microsecond'`;

/** By group the closed rows that its values come into, or may. */
export async function rowsOfGroups(
  q: Queries,
  tenantId: string,
  groups: readonly Group[],
): Promise<Map<string, ClosedHour[]>> {
  const timesOf = (place: 0 | -1) =>
    groups.map(({ day, values }) => new Date(Math.floor((values.at(place)?.at ?? day) / 1_000)));
  const { rows } = await sql<ClosedHour & { deviceId: string; pointId: string }>`
    select h.device_id, h.point_id, ${hourColumns}
    from unnest(${groups.map(({ deviceId }) => deviceId)}::bigint[],
      ${groups.map(({ pointId }) => pointId)}::bigint[],
      ${groups.map(({ day }) => new Date(day))}::timestamptz[],
      ${timesOf(0)}::timestamptz[], ${timesOf(-1)}::timestamptz[])
      as k (device_id, point_id, day, first, last)
    join svc_value_hour h on h.tenant_id = ${tenantId} and h.device_id = k.device_id
      and h.point_id = k.point_id and h.start <= k.last and h.start >= coalesce((
        select e.start from svc_value_hour e where e.tenant_id = ${tenantId} and e.device_id = k.device_id
          and e.point_id = k.point_id and e.start >= k.day and e.start <= k.first
        order by e.start desc limit 1), k.day)
    order by h.device_id, h.point_id, h.start`.execute(q);
  return Map.groupBy(rows, ({ start, ...row }) =>
    groupKey({ ...row, day: Math.floor(start.getTime() / DAY_MS) * DAY_MS }),
  );
}

/** Writes rows, in the place of those that begin at the same time. */
export async function writeRows(
  q: Queries,
  tenantId: string,
  closing: readonly Closing[],
): Promise<void> {
  if (closing.length === 0) return;
  const each = <T>(read: (statistics: Statistics) => T): T[] =>
    closing.map(({ statistics }) => read(statistics));
  await sql`
    insert into svc_value_hour (tenant_id, device_id, point_id, start, end_time, receive_time, driver_id, value_count,
      bad_count, number_count, lowest, highest, total, first_number, last_number, increase, first_ms, last_ms,
      good_time, hour)
    select ${tenantId}::bigint, device_id, point_id, start, ${moment(sql`end_at`)}, ${moment(sql`receive_at`)},
      driver_id, value_count, bad_count, number_count, lowest, highest, total, first_number, last_number, increase,
      first_ms, last_ms, ${moment(sql`good_at`)}, decode(hour, 'hex')
    from unnest(${closing.map(({ deviceId }) => deviceId)}::bigint[],
      ${closing.map(({ pointId }) => pointId)}::bigint[],
      ${closing.map(({ start }) => new Date(start))}::timestamptz[],
      ${closing.map(({ end }) => end)}::float8[], ${closing.map(({ received }) => received)}::float8[],
      ${closing.map(({ driverId }) => driverId)}::bigint[],
      ${each(({ count: all }) => all)}::int[], ${each(({ bad }) => bad)}::int[],
      ${each(({ numbers }) => numbers)}::int[], ${each(({ lowest }) => lowest)}::float8[],
      ${each(({ highest }) => highest)}::float8[], ${each(({ total }) => total)}::float8[],
      ${each(({ first }) => first)}::float8[], ${each(({ last }) => last)}::float8[],
      ${each(({ increase }) => increase)}::float8[], ${each(({ firstMs }) => firstMs)}::int[],
      ${each(({ lastMs }) => lastMs)}::int[], ${each(({ goodAt }) => goodAt)}::float8[],
      ${closing.map(({ hour }) => hour.toString('hex'))}::text[])
      as c (device_id, point_id, start, end_at, receive_at, driver_id, value_count, bad_count, number_count, lowest,
        highest, total, first_number, last_number, increase, first_ms, last_ms, good_at, hour)
    on conflict (tenant_id, device_id, point_id, start) do update set
      end_time = excluded.end_time, receive_time = excluded.receive_time,
      driver_id = excluded.driver_id, value_count = excluded.value_count, bad_count = excluded.bad_count,
      number_count = excluded.number_count, lowest = excluded.lowest, highest = excluded.highest,
      total = excluded.total, first_number = excluded.first_number, last_number = excluded.last_number,
      increase = excluded.increase, first_ms = excluded.first_ms, last_ms = excluded.last_ms,
      good_time = excluded.good_time, hour = excluded.hour`.execute(q);
}

type Measured = Pick<HourValue, 'at' | 'received'>;

/** Adds new values to the counts of their quarters, or takes those that are no longer there from them. */
export async function countValues(
  q: Queries,
  tenantId: string,
  values: readonly Measured[],
  of: 'added' | 'removed' = 'added',
): Promise<void> {
  const counts = new Map<string, number>();
  for (const { at, received } of values) {
    const quarter = Math.floor(at / QUARTER_MICROS) * QUARTER_MICROS;
    const key = `${quarter}:${DELAY_BINS[delayBin((received - at) / 1_000)]}`;
    counts.set(key, (counts.get(key) ?? 0) + (of === 'added' ? 1 : -1));
  }
  if (counts.size === 0) return;
  const keys = [...counts.keys()].map((key) => key.split(':').map(Number));
  await sql`
    insert into svc_value_delay as d (tenant_id, start, delay_ms, value_count)
    select ${tenantId}::bigint, start, delay_ms, value_count
    from unnest(${keys.map(([quarter = 0]) => new Date(quarter / 1_000))}::timestamptz[],
      ${keys.map(([, delay = 0]) => delay)}::int[], ${[...counts.values()]}::bigint[])
      as c (start, delay_ms, value_count)
    on conflict (tenant_id, start, delay_ms) do update set value_count = d.value_count + excluded.value_count`.execute(
    q,
  );
  if (of === 'removed')
    await sql`delete from svc_value_delay where tenant_id = ${tenantId} and value_count = 0
      and start = any(${keys.map(([quarter = 0]) => new Date(quarter / 1_000))}::timestamptz[])`.execute(
      q,
    );
}

/** Removes closed rows. */
export const removeRows = (
  q: Queries,
  tenantId: string,
  rows: readonly { deviceId: string; pointId: string; start: Date }[],
) =>
  sql`
    delete from svc_value_hour h using unnest(${rows.map(({ deviceId }) => deviceId)}::bigint[],
      ${rows.map(({ pointId }) => pointId)}::bigint[],
      ${rows.map(({ start }) => start)}::timestamptz[]) as k (device_id, point_id, start)
    where h.tenant_id = ${tenantId} and h.device_id = k.device_id and h.point_id = k.point_id
      and h.start = k.start`.execute(q);

/** Removes these hot values and no others: one that came between stays. Answers how many there were. */
export async function removeHot(
  q: Queries,
  tenantId: string,
  values: readonly HotValue[],
): Promise<number> {
  let removed = 0;
  for (let from = 0; from < values.length; from += MAX_VALUES) {
    const some = values.slice(from, from + MAX_VALUES);
    const times = some.map(({ at }) => at / 1_000);
    const { numAffectedRows } = await sql`
      delete from svc_point_value v using unnest(${some.map(({ deviceId }) => deviceId)}::bigint[],
        ${some.map(({ pointId }) => pointId)}::bigint[], ${some.map(({ at }) => at)}::float8[],
        ${some.map(({ seq }) => seq)}::bigint[]) as k (device_id, point_id, at, seq)
      where v.tenant_id = ${tenantId} and v.device_id = k.device_id and v.point_id = k.point_id
        and v.create_time = ${moment(sql`k.at`)} and v.seq = k.seq
        and v.create_time >= ${new Date(Math.floor(Math.min(...times)))}
        and v.create_time <= ${new Date(Math.ceil(Math.max(...times)))}`.execute(q);
    removed += Number(numAffectedRows ?? 0n);
  }
  return removed;
}
