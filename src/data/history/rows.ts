import { type Selectable, sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { PointValueTable } from '../../db/schema/data.ts';
import { dateOf, hoursWith, inOrder, merged, momentOf, valuesOf } from './closed.ts';
import type { HourValue } from './hour.ts';

/** A stored value, whether its hour is closed or not. */
export type ValueRow = Selectable<PointValueTable>;

type Series = { tenantId: string; deviceId: string; pointId: string };
type Cut = {
  /** Times in ms since the epoch, both included. */
  from: number;
  to: number;
  /** Only values before this time. */
  before?: number | undefined;
  /** Only values that come after this one in the order of the page. */
  beyond?: { at: number; seq: string } | undefined;
  newestFirst: boolean;
  most: number;
};

/** At most `most` stored values of a series in order of time and sequence; for a trip. */
export async function rowsOf(q: Queries, series: Series, cut: Cut): Promise<ValueRow[]> {
  const reach = { from: momentOf(cut.from), to: momentOf(cut.to) };
  // The hot rows first: an hour that is closed in between is in both then, and not in none.
  const [hot, { rows: hours }] = await Promise.all([
    hotRows(q, series, cut),
    hoursWith(series, reach, cut).execute(q),
  ]);
  if (hours.length === 0) return hot;
  const closed = [...valuesOf(hours)].filter((value) => isIn(value, cut));
  const all = merged(
    closed.map((value) => ({ at: value.at, seq: value.seq, row: rowOf(series, value) })),
    hot.map((row) => ({ at: row.createTime.getTime() * 1_000, seq: row.seq, row })),
  );
  return (cut.newestFirst ? all.toReversed() : all).slice(0, cut.most).map(({ row }) => row);
}

function hotRows(
  q: Queries,
  { tenantId, deviceId, pointId }: Series,
  { from, to, before, beyond, newestFirst, most }: Cut,
): Promise<ValueRow[]> {
  let rows = q
    .selectFrom('svc_point_value')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('deviceId', '=', deviceId)
    .where('pointId', '=', pointId)
    .where('createTime', '>=', new Date(from))
    .where('createTime', '<=', new Date(to));
  if (before !== undefined) rows = rows.where('createTime', '<', new Date(before));
  if (beyond) {
    const further = sql.raw(newestFirst ? '<' : '>');
    rows = rows.where(
      sql<boolean>`(create_time, seq) ${further} (${new Date(beyond.at)}::timestamptz, ${beyond.seq}::bigint)`,
    );
  }
  const order = newestFirst ? 'desc' : 'asc';
  return rows
    .orderBy(sql`create_time`, order)
    .orderBy('seq', order)
    .limit(most)
    .execute();
}

function isIn(value: HourValue, { from, to, before, beyond, newestFirst }: Cut): boolean {
  if (value.at < from * 1_000 || value.at > to * 1_000) return false;
  if (before !== undefined && value.at >= before * 1_000) return false;
  if (!beyond) return true;
  const further = inOrder(value, { at: beyond.at * 1_000, seq: beyond.seq });
  return newestFirst ? further < 0 : further > 0;
}

const rowOf = ({ tenantId, deviceId, pointId }: Series, value: HourValue): ValueRow => ({
  tenantId,
  deviceId,
  pointId,
  driverId: value.driverId,
  createTime: dateOf(value.at),
  seq: value.seq,
  rawValue: value.rawValue,
  calValue: value.calValue,
  numValue: value.numValue,
  quality: value.quality,
  receiveTime: dateOf(value.received),
  claimedTime: value.claimed === null ? null : dateOf(value.claimed),
  issue: value.issue,
});
