import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { hoursWith, openHour, type SeriesOf } from '../history/closed.ts';
import type { Pair } from '../value/pair.ts';
import {
  decodeBuckets,
  decodeSeries,
  type Readings,
  type Slice,
  SLICE_VALUES,
  VALUE_BYTES,
} from './wire.ts';

/** Values of one series that are read as they are; of more, the extremes of parts of the time. */
export const MAX_VALUES = 100_000;
/** Parts of the window then. */
export const PARTS = 10_000;

/** Times in ms since the epoch, both included. */
export type Span = { from: number; to: number };

export const rowsOf = (tenantId: string, { deviceId, pointId }: Pair, { from, to }: Span) => sql`
  svc_point_value where tenant_id = ${tenantId} and device_id = ${deviceId}
    and point_id = ${pointId} and create_time between ${new Date(from)} and ${new Date(to)}`;

/** 8 bytes each, in order: a row of an answer for each value would cost ten times as much. */
const times = sql`string_agg(timestamptz_send(create_time), '')`;
const numbers = sql`string_agg(float8send(coalesce(num_value, 'NaN')), '')`;
const epochMs = (time: ReturnType<typeof sql>) => sql`(extract(epoch from ${time})::float8 * 1000)`;

/** Values that are not good; most series have none, which the highest quality says. */
type Doubts = { uncertain: number; bad: number };

/** The stored values of a point of a device in a span. */
export async function readingsOf(
  q: Queries,
  tenantId: string,
  pair: Pair,
  span: Span,
): Promise<Readings> {
  const rows = rowsOf(tenantId, pair, span);
  const partMs = (span.to - span.from) / PARTS;
  const sliceBytes = SLICE_VALUES * VALUE_BYTES;
  const query = sql<Slice & Doubts & { count: number; buckets: Buffer | null }>`
    select near.count, slice.*, parts.buckets, doubts.*
    from (
      select count(*)::int as count, max(quality) as worst, ${times} as times, ${numbers} as numbers
      from (select create_time, num_value, quality from ${rows}
        order by create_time, seq limit ${MAX_VALUES + 1}::int) as read
    ) as near
    left join lateral (
      select (count(*) filter (where quality = 1))::int as uncertain,
        (count(*) filter (where quality = 2))::int as bad
      from ${rows} and near.worst > 0
    ) as doubts on true
    left join lateral (
      select byte / ${VALUE_BYTES}::int as start,
        encode(substr(near.times, byte + 1, ${sliceBytes}::int), 'hex') as times,
        encode(substr(near.numbers, byte + 1, ${sliceBytes}::int), 'hex') as numbers
      from generate_series(0, length(near.times) - 1, ${sliceBytes}::int) as byte
      where near.count <= ${MAX_VALUES}::int
    ) as slice on true
    left join lateral (
      select string_agg(float8send(count) || float8send(uncertain) || float8send(bad) ||
        float8send(first) || float8send(last) || float8send(coalesce(mean, 'NaN')) ||
        float8send(coalesce(low[1], 'NaN')) || float8send(coalesce(low[2], 'NaN')) ||
        float8send(coalesce(high[1], 'NaN')) || float8send(coalesce(high[2], 'NaN')) ||
        float8send(coalesce(pause[1], 0)) || float8send(coalesce(pause[2], 0)), '' order by part)
        as buckets
      from (
        select floor((at - ${span.from}::float8) / ${partMs}::float8) as part,
          count(*) as count, count(*) filter (where quality = 1) as uncertain,
          count(*) filter (where quality = 2) as bad, min(at) as first, max(at) as last,
          avg(num_value) as mean,
          min(array[num_value, at]) filter (where num_value is not null) as low,
          max(array[num_value, at]) filter (where num_value is not null) as high,
          max(array[at - before, before]) filter (where before is not null) as pause
        from (
          select num_value, quality, ${epochMs(sql`create_time`)} as at,
            ${epochMs(sql`lag(create_time) over (order by create_time, seq)`)} as before
          from ${rows} and near.count > ${MAX_VALUES}::int
        ) as read
        group by part
      ) as grouped
    ) as parts on true`;
  const { rows: slices } = await query.execute(q);
  const [row] = slices;
  if (!row) throw new Error('an aggregate answers one row');
  if (row.buckets) return decodeBuckets(row.buckets);
  const { count, uncertain, bad } = row;
  return {
    ...decodeSeries(row.start === null ? 0 : count, slices),
    quality: { count, uncertain, bad },
  };
}

/** When the newest values of a span came (ms), at most `most`, newest first. */
export async function newestTimes(
  q: Queries,
  tenantId: string,
  pair: Pair,
  { span, most }: { span: Span; most: number },
): Promise<Float64Array> {
  const { rows } = await sql<{ createTime: Date }>`
    select create_time from ${rowsOf(tenantId, pair, span)}
    order by create_time desc limit ${most}::int`.execute(q);
  return Float64Array.from(rows, ({ createTime }) => createTime.getTime());
}

/** When the oldest stored value of a series came (ms), of hot or closed hours; null without any. */
export async function firstTime(q: Queries, series: SeriesOf): Promise<number | null> {
  const { tenantId, deviceId, pointId } = series;
  const always = { from: sql`'-infinity'::timestamptz`, to: sql`'infinity'::timestamptz` };
  const [{ rows: hot }, { rows: closed }] = await Promise.all([
    sql<{ at: Date }>`select create_time as at from svc_point_value where tenant_id = ${tenantId}
      and device_id = ${deviceId} and point_id = ${pointId} order by create_time limit 1`.execute(
      q,
    ),
    hoursWith(series, always, { most: 1, newestFirst: false }).execute(q),
  ]);
  const oldest = closed.flatMap((hour) => Array.from(openHour(hour).at.subarray(0, 1)));
  const came = [...hot.map(({ at }) => at.getTime()), ...oldest.map((micros) => micros / 1_000)];
  return came.length > 0 ? Math.floor(Math.min(...came)) : null;
}
