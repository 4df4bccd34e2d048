import { setImmediate } from 'node:timers/promises';

import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { type Closing, rowOf } from '../history/close/fold.ts';
import { countValues, removeRows, writeRows } from '../history/close/store.ts';
import { type ClosedHour, openHour, valuesOf } from '../history/closed.ts';
import { rowsOf } from '../history/rows.ts';
import { IMPORTED } from '../value/imported.ts';
import type { Pair } from '../value/pair.ts';

/** Closed rows that are opened until others have their turn. */
const ROWS_AT_ONCE = 5;
const LATEST_TIME = Date.UTC(9999, 0);

/** Moments in ms since the epoch, both included. */
export type Span = { from: number; to: number };
/** `imported`: of the values of a span those alone that an import stored, by when (ms) it received them. */
export type Erased = Span & { imported?: number };
export type SeriesRow = ClosedHour & Pair;

type Counted = { at: number; received: number; issue: string | null };

const isOf =
  ({ from, to, imported }: Erased) =>
  ({ at, received, issue }: Counted): boolean =>
    at >= from * 1_000 &&
    at <= to * 1_000 &&
    (imported === undefined || (received === imported * 1_000 && issue === IMPORTED));

/**
 * Takes the values of a span out of closed rows; of a row that has others, those stay, with their statistics. Answers
 * how many values are gone.
 */
export async function eraseClosed(
  q: Queries,
  tenantId: string,
  rows: readonly SeriesRow[],
  span: Erased,
): Promise<number> {
  const gone: SeriesRow[] = [];
  const left: Closing[] = [];
  const values: Counted[] = [];
  const isIn = isOf(span);
  for (const [index, row] of rows.entries()) {
    if (index % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await setImmediate();
    const of = openHour(row);
    const times = Array.from(of.at, (at, place) => ({
      at,
      received: of.received(place),
      issue: of.issue(place),
    }));
    const erased = times.filter(isIn);
    if (erased.length === 0) continue;
    values.push(...erased);
    if (erased.length === times.length) gone.push(row);
    else left.push(await rowWithout(row, isIn));
  }
  if (values.length === 0) return 0;
  if (gone.length > 0) await removeRows(q, tenantId, gone);
  await writeRows(q, tenantId, left);
  await countValues(q, tenantId, values, 'removed');
  return values.length;
}

async function rowWithout(row: SeriesRow, isIn: (value: Counted) => boolean): Promise<Closing> {
  const { deviceId, pointId } = row;
  const kept = [...valuesOf([row])].filter((value) => !isIn(value));
  const written = await rowOf(row.start.getTime(), kept);
  if (!written)
    throw new Error('a closed row without some of its values would not give the others back');
  return { deviceId, pointId, ...written };
}

/** Of the hot values of a series in a span the oldest, `most` of them; answers how many are gone. */
export async function eraseHot(
  q: Queries,
  tenantId: string,
  { deviceId, pointId }: Pair,
  { from, to, imported }: Erased,
  most: number,
): Promise<number> {
  const of = sql`v.tenant_id = ${tenantId} and v.device_id = ${deviceId} and v.point_id = ${pointId}
    and v.create_time between ${new Date(from)} and ${new Date(to)} ${
      imported === undefined
        ? sql``
        : sql`and v.receive_time = ${new Date(imported)} and v.issue = ${IMPORTED}`
    }`;
  const { numAffectedRows } = await sql`
    with oldest as (select v.create_time, v.seq from svc_point_value v where ${of}
      order by v.create_time, v.seq limit ${most})
    delete from svc_point_value v using oldest o
    where ${of} and v.create_time = o.create_time and v.seq = o.seq`.execute(q);
  return Number(numAffectedRows ?? 0n);
}

/** Where the latest value of a series was of a span, the newest that is left takes its place, or none. */
export async function renewLatest(
  q: Queries,
  tenantId: string,
  pair: Pair,
  { from, to }: Span,
): Promise<void> {
  const ofPair = sql`tenant_id = ${tenantId} and device_id = ${pair.deviceId} and point_id = ${pair.pointId}`;
  // Locked: a value that is stored meanwhile waits, and is compared with what is written here.
  const { rows } = await sql`
    select from svc_point_latest where ${ofPair} and create_time between ${new Date(from)} and ${new Date(to)}
    for update`.execute(q);
  if (rows.length === 0) return;
  const [newest] = await rowsOf(
    q,
    { tenantId, ...pair },
    { from: 0, to: LATEST_TIME, newestFirst: true, most: 1 },
  );
  if (!newest) {
    await sql`delete from svc_point_latest where ${ofPair}`.execute(q);
    return;
  }
  const { deviceId: _, pointId: __, tenantId: ___, ...columns } = newest;
  await q
    .updateTable('svc_point_latest')
    .set(columns)
    .where('tenantId', '=', tenantId)
    .where('deviceId', '=', pair.deviceId)
    .where('pointId', '=', pair.pointId)
    .execute();
}
