import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { type ClosedHour, HOUR_MS, hourColumns, inOrder, merged, valuesOf } from './closed.ts';
import { DELAY_BINS, delayBin } from './delay.ts';
import { type Cursor, type HotValue, hotValues, hotValuesOfHour } from './hot.ts';
import { decodeHour, encodeHour, type HourValue } from './hour.ts';
import { type Statistics, statisticsOf } from './statistics.ts';

/** Hot values that a turn closes at most, so that it holds up no other call for long; but a whole hour of one series. */
const MAX_VALUES = 5_000;
/** An hour of more values stays hot: 28 in a second. */
const MAX_OF_HOUR = 100_000;
const HOUR_MICROS = HOUR_MS * 1_000;
const QUARTER_MICROS = HOUR_MICROS / 4;

/** Times in ms: hours that end by `until` are closed, the next one is due at `due`. */
export type Turn = { until: number; due: number };

/** The hot values of a series in one hour that begins at `start` (microseconds). */
type Group = { deviceId: string; pointId: string; start: number; values: HotValue[] };

type Progress = {
  closedUntil: Date | null;
  closingUntil: Date | null;
  deviceId: string;
  pointId: string;
  time: string;
};

/**
 * Closes a part of the hours of a tenant that are due, folds what came late into closed ones, and says whether more is
 * to do. One transaction: a closed row is inserted and its hot rows are deleted together, or neither. Where another
 * process is at it, nothing is done.
 */
export async function closeTurn(app: App, tenantId: string, turn: Turn): Promise<boolean> {
  const isMore = await inTenant(app.db, tenantId, async (q) => {
    const progress = await lockProgress(q, tenantId);
    if (!progress) return false;
    const until = progress.closingUntil ?? new Date(turn.until);
    const isDone = progress.closedUntil !== null && progress.closedUntil >= until;
    const part = isDone ? null : await partOf(q, tenantId, progress, until);
    app.crashAt('close-read');
    if (part) await fold(app, q, tenantId, part.groups);
    await note(q, tenantId, { until, next: part?.next ?? null, now: app.clock.now(), turn });
    app.crashAt('close-written');
    return part !== null && part.next !== null;
  });
  app.crashAt('closed');
  return isMore;
}

async function lockProgress(q: Queries, tenantId: string): Promise<Progress | undefined> {
  await sql`insert into svc_value_closing (tenant_id) values (${tenantId}) on conflict do nothing`.execute(
    q,
  );
  const { rows } = await sql<Progress>`
    select closed_until, closing_until, next_device_id::text as device_id, next_point_id::text as point_id,
      next_time::text as time
    from svc_value_closing where tenant_id = ${tenantId} for update skip locked`.execute(q);
  return rows[0];
}

/** The whole groups of a part of the pass, and where it goes on; null at its end. */
async function partOf(
  q: Queries,
  tenantId: string,
  from: Cursor,
  until: Date,
): Promise<{ groups: Group[]; next: Cursor | null }> {
  const values = await hotValues(q, tenantId, from, { until, most: MAX_VALUES + 1 });
  const groups = groupsOf(values);
  if (values.length <= MAX_VALUES) return { groups, next: null };
  const last = groups.pop();
  if (!last) return { groups, next: null };
  if (groups.length > 0) return { groups, next: cursorAt(last, 0) };
  const whole = await hotValuesOfHour(q, tenantId, last, MAX_OF_HOUR + 1);
  const isTooLarge = whole.length > MAX_OF_HOUR;
  return {
    groups: isTooLarge ? [] : [{ ...last, values: whole }],
    next: cursorAt(last, HOUR_MICROS),
  };
}

const cursorAt = ({ deviceId, pointId, start }: Group, after: number): Cursor => ({
  deviceId,
  pointId,
  time: new Date((start + after) / 1_000).toISOString(),
});

function groupsOf(values: readonly HotValue[]): Group[] {
  const groups: Group[] = [];
  for (const value of values) {
    const { deviceId, pointId, at } = value;
    const start = Math.floor(at / HOUR_MICROS) * HOUR_MICROS;
    const last = groups.at(-1);
    if (last?.deviceId === deviceId && last.pointId === pointId && last.start === start)
      last.values.push(value);
    else groups.push({ deviceId, pointId, start, values: [value] });
  }
  return groups;
}

type Closing = Omit<Group, 'values'> & {
  driverId: string;
  statistics: Statistics;
  hour: Buffer;
  /** Values that no closed row had yet. */
  added: readonly HourValue[];
};

async function fold(
  app: App,
  q: Queries,
  tenantId: string,
  groups: readonly Group[],
): Promise<void> {
  const earlier = await closedOf(q, tenantId, groups);
  const closing: Closing[] = [];
  let hot = 0;
  for (const group of groups) {
    await setImmediate();
    const closed = closingOf(group, earlier.get(keyOf(group)) ?? []);
    if (closed) {
      closing.push(closed);
      hot += group.values.length;
    } else
      app.log.error(
        { tenantId, deviceId: group.deviceId, pointId: group.pointId, start: group.start },
        'an hour of values was not closed, because its closed form would not give them back',
      );
  }
  if (closing.length === 0) return;
  await write(q, tenantId, closing);
  app.crashAt('close-inserted');
  await count(q, tenantId, closing);
  app.crashAt('close-counted');
  const removed = await removeHot(q, tenantId, closing);
  app.crashAt('close-removed');
  // A value came between: the transaction is undone, the next turn has it.
  if (removed !== hot) throw new Error(`${hot} values were closed, but ${removed} rows removed`);
}

const keyOf = ({ deviceId, pointId, start }: Omit<Group, 'values'>): string =>
  `${deviceId}:${pointId}:${start}`;

const keysOf = (groups: readonly Omit<Group, 'values'>[]) => sql`
  unnest(${groups.map(({ deviceId }) => deviceId)}::bigint[], ${groups.map(({ pointId }) => pointId)}::bigint[],
    ${groups.map(({ start }) => new Date(start / 1_000))}::timestamptz[]) as k (device_id, point_id, start)`;

/** The values of those hours that are closed already, by key. */
async function closedOf(
  q: Queries,
  tenantId: string,
  groups: readonly Group[],
): Promise<Map<string, HourValue[]>> {
  if (groups.length === 0) return new Map();
  const { rows } = await sql<ClosedHour & { deviceId: string; pointId: string }>`
    select h.device_id, h.point_id, ${hourColumns} from ${keysOf(groups)}
    join svc_value_hour h on h.tenant_id = ${tenantId} and h.device_id = k.device_id
      and h.point_id = k.point_id and h.start = k.start`.execute(q);
  return new Map(
    rows.map((row) => [
      keyOf({ ...row, start: row.start.getTime() * 1_000 }),
      [...valuesOf([row])],
    ]),
  );
}

const valueOf = (hot: HotValue): HourValue => ({
  at: hot.at,
  seq: hot.seq,
  driverId: hot.driverId,
  rawValue: hot.rawValue,
  calValue: hot.calValue,
  numValue: hot.numValue,
  quality: hot.quality,
  received: hot.received,
  claimed: hot.claimed,
  issue: hot.issue,
});

/** Null where the bytes would not give back every value exactly. */
function closingOf({ values, ...group }: Group, earlier: readonly HourValue[]): Closing | null {
  const known = new Set(earlier.map(({ at, seq }) => `${at}.${seq}`));
  const added = values.filter(({ at, seq }) => !known.has(`${at}.${seq}`)).map(valueOf);
  const all = earlier.length === 0 ? added.toSorted(inOrder) : merged(earlier, added);
  const [first] = all;
  if (!first) return null;
  const isOfOne = all.every(({ driverId }) => driverId === first.driverId);
  const written = isOfOne ? all.map((value) => ({ ...value, driverId: '' })) : all;
  const hour = encodeHour(group.start, written);
  const read = decodeHour(group.start, hour);
  if (read.count !== written.length) return null;
  if (!written.every((value, index) => isDeepStrictEqual(read.value(index), value))) return null;
  const driverId = isOfOne ? first.driverId : '0';
  return { ...group, driverId, hour, added, statistics: statisticsOf(group.start, all) };
}

async function write(q: Queries, tenantId: string, closing: readonly Closing[]): Promise<void> {
  const each = <T>(read: (statistics: Statistics) => T): T[] =>
    closing.map(({ statistics }) => read(statistics));
  const goodTimes = each(({ goodAt }) => (goodAt === null ? null : goodAt / 1_000_000));
  await sql`
    insert into svc_value_hour (tenant_id, device_id, point_id, start, driver_id, value_count, bad_count,
      number_count, lowest, highest, total, first_number, last_number, increase, first_ms, last_ms, good_time, hour)
    select ${tenantId}::bigint, device_id, point_id, start, driver_id, value_count, bad_count, number_count,
      lowest, highest, total, first_number, last_number, increase, first_ms, last_ms,
      timestamptz 'epoch' + good_s * interval '1 second', decode(hour, 'hex')
    from unnest(${closing.map(({ deviceId }) => deviceId)}::bigint[],
      ${closing.map(({ pointId }) => pointId)}::bigint[],
      ${closing.map(({ start }) => new Date(start / 1_000))}::timestamptz[],
      ${closing.map(({ driverId }) => driverId)}::bigint[],
      ${each(({ count: all }) => all)}::int[], ${each(({ bad }) => bad)}::int[],
      ${each(({ numbers }) => numbers)}::int[], ${each(({ lowest }) => lowest)}::float8[],
      ${each(({ highest }) => highest)}::float8[], ${each(({ total }) => total)}::float8[],
      ${each(({ first }) => first)}::float8[], ${each(({ last }) => last)}::float8[],
      ${each(({ increase }) => increase)}::float8[], ${each(({ firstMs }) => firstMs)}::int[],
      ${each(({ lastMs }) => lastMs)}::int[], ${goodTimes}::numeric[],
      ${closing.map(({ hour }) => hour.toString('hex'))}::text[])
      as c (device_id, point_id, start, driver_id, value_count, bad_count, number_count, lowest, highest, total,
        first_number, last_number, increase, first_ms, last_ms, good_s, hour)
    on conflict (tenant_id, device_id, point_id, start) do update set
      driver_id = excluded.driver_id, value_count = excluded.value_count, bad_count = excluded.bad_count,
      number_count = excluded.number_count, lowest = excluded.lowest, highest = excluded.highest,
      total = excluded.total, first_number = excluded.first_number, last_number = excluded.last_number,
      increase = excluded.increase, first_ms = excluded.first_ms, last_ms = excluded.last_ms,
      good_time = excluded.good_time, hour = excluded.hour`.execute(q);
}

/** Adds the new values to the counts of their quarters. */
async function count(q: Queries, tenantId: string, closing: readonly Closing[]): Promise<void> {
  const counts = new Map<string, number>();
  for (const { added } of closing)
    for (const { at, received } of added) {
      const quarter = Math.floor(at / QUARTER_MICROS) * QUARTER_MICROS;
      const key = `${quarter}:${DELAY_BINS[delayBin((received - at) / 1_000)]}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
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
}

async function removeHot(
  q: Queries,
  tenantId: string,
  closing: readonly Closing[],
): Promise<number> {
  const starts = closing.map(({ start }) => start / 1_000);
  const { numAffectedRows } = await sql`
    delete from svc_point_value v using ${keysOf(closing)}
    where v.tenant_id = ${tenantId} and v.device_id = k.device_id and v.point_id = k.point_id
      and v.create_time >= k.start and v.create_time < k.start + interval '1 hour'
      and v.create_time >= ${new Date(Math.min(...starts))}
      and v.create_time < ${new Date(Math.max(...starts) + HOUR_MS)}`.execute(q);
  return Number(numAffectedRows ?? 0n);
}

type Noted = { until: Date; next: Cursor | null; now: number; turn: Turn };

async function note(
  q: Queries,
  tenantId: string,
  { until, next, now, turn }: Noted,
): Promise<void> {
  await sql`
    update svc_value_closing set turn_time = ${new Date(now)},
      next_device_id = ${next?.deviceId ?? '0'}, next_point_id = ${next?.pointId ?? '0'},
      next_time = ${next?.time ?? '-infinity'}::timestamptz,
      closing_until = ${next ? until : null}::timestamptz,
      closed_until = case when ${next === null} then greatest(closed_until, ${until}::timestamptz)
        else closed_until end,
      due_time = case when ${next === null} then ${new Date(turn.due)}::timestamptz else due_time end
    where tenant_id = ${tenantId}`.execute(q);
}
