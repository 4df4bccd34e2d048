import { type Expression, sql, type SqlBool } from 'kysely';

import { Quality } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import { contains } from '../../db/query-page.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Caller, Operation } from '../../kernel/app/app.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { EntityType } from '../../manager/entity/entity-type.ts';
import { RwFlag, ValueType } from '../../manager/entity/value-type.ts';
import { spellingsOf } from '../../manager/find/unit.ts';
import { isStale } from '../value/freshness.ts';
import { joinedLatest } from '../value/latest-value.ts';
import { circumstancesOf, withCircumstances } from './circumstances.ts';
import { sentenceOf } from './sentence.ts';
import { silenceOf } from './silence.ts';
import { isSilent } from './silent.ts';

/** Rows that are counted: of more it is only said that there are so many at least. */
const MAX_TOTAL = 10_000;
const MAX_UNITS = 30;

export type ValueSearch = {
  deviceIds?: readonly string[] | undefined;
  groupId?: string | undefined;
  labelId?: string | undefined;
  /** Part of the name, or the unit in a usual spelling, whatever the case. */
  pointName?: string | undefined;
  unit?: string | undefined;
  /** Of now: GOOD becomes UNCERTAIN when a newer one is overdue; NONE has no value at all. */
  quality?: keyof typeof Quality | 'NONE' | undefined;
  /** Only those that are silent for longer (silence/silent.ts). */
  olderThanS?: number | undefined;
  /** The last row of the page before. */
  after?: { deviceId: string; pointId: string } | undefined;
  limit: number;
};

/** The latest value of a point: a number rounded to what the point shows, true or false, or a text. */
export type ValueNow = {
  deviceId: string;
  deviceName: string;
  pointId: string;
  pointName: string;
  unit: string;
  value: number | boolean | string | null;
  ageS: number | null;
  writable: boolean;
  /** Why it has no fresh and good value, and the next step; null if it has one. */
  why: string | null;
};

type Found = { total: number; values: ValueNow[] };

/** Points that can be read, by the names of device and point, each with its latest value; one trip. */
export const search: Operation<ValueSearch, Found> = (app, caller, given) =>
  inOneTrip(app.db, caller.tenantId, (q) => searchIn(q, caller, given, app.clock.now()));

/** The units of the points of the tenant, the first 30 by name. */
export const units: Operation<void, string[]> = (app, { tenantId }) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const rows = await q
      .selectFrom('svc_point')
      .select('unit')
      .distinct()
      .where('tenantId', '=', tenantId)
      .where('unit', '!=', '')
      .orderBy('unit')
      .limit(MAX_UNITS)
      .execute();
    return rows.map(({ unit }) => unit);
  });

/** The same in the trip of another answer. */
export async function searchIn(
  q: Queries,
  { tenantId, timezone = 'UTC' }: Pick<Caller, 'tenantId' | 'timezone'>,
  given: ValueSearch,
  now: number,
): Promise<Found> {
  const points = pointsOf(q, tenantId, given, now);
  const [rows, [counted]] = await Promise.all([
    pageOf(q, tenantId, points, { ...given, now }),
    q
      .selectFrom(points.select('d.id').limit(MAX_TOTAL).as('found'))
      .select((eb) => eb.fn.countAll<string>().as('total'))
      .execute(),
  ]);
  const values = rows.map((row) => valueOf(row, { now, zone: timezone }));
  return { total: Number(counted?.total ?? 0), values };
}

function pointsOf(q: Queries, tenantId: string, given: ValueSearch, now: number) {
  const stale = isStale(now);
  const isOf: Record<NonNullable<ValueSearch['quality']>, Expression<SqlBool>> = {
    GOOD: sql`l.quality = ${Quality.GOOD} and not ${stale}`,
    UNCERTAIN: sql`(l.quality = ${Quality.UNCERTAIN} or l.quality = ${Quality.GOOD} and ${stale})`,
    BAD: sql`l.quality = ${Quality.BAD}`,
    NONE: sql`l.create_time is null`,
  };
  let query = joinedLatest(q, tenantId).where('p.rwFlag', '!=', RwFlag.WRITE_ONLY);
  if (given.deviceIds)
    query = query.where(sql<boolean>`d.id = any(${[...given.deviceIds]}::bigint[])`);
  if (given.groupId !== undefined)
    query = query.where(bound(sql`svc_group_bind`, sql`group_id = ${given.groupId}`));
  if (given.labelId !== undefined)
    query = query.where(bound(sql`svc_label_bind`, sql`label_id = ${given.labelId}`));
  for (const word of given.pointName?.split(/\s+/).filter(Boolean) ?? [])
    query = query.where('p.pointName', 'ilike', contains(word));
  if (given.unit !== undefined)
    query = query.where(sql<boolean>`lower(p.unit) = any(${spellingsOf(given.unit)})`);
  if (given.quality !== undefined) query = query.where(isOf[given.quality]);
  if (given.olderThanS !== undefined) query = query.where(isSilent(now, given.olderThanS));
  return query;
}

const bound = (table: Expression<unknown>, condition: Expression<unknown>) =>
  sql<boolean>`exists (select from ${table} b where b.tenant_id = d.tenant_id
    and b.entity_type_flag = ${EntityType.DEVICE}::int and b.entity_id = d.id and b.${condition})`;

/** In the order of two unique indexes: devices by name, and the points of a profile by name. */
function pageOf(
  q: Queries,
  tenantId: string,
  points: ReturnType<typeof pointsOf>,
  { after, limit, now }: ValueSearch & { now: number },
) {
  const device = sql<string>`(select device_name from svc_device
    where tenant_id = ${tenantId} and id = ${after?.deviceId ?? null}::bigint)`;
  const point = sql<string>`(select point_name from svc_point
    where tenant_id = ${tenantId} and id = ${after?.pointId ?? null}::bigint)`;
  const rest = after
    ? points
        .where(sql<boolean>`d.device_name >= ${device}`)
        .where(sql<boolean>`(d.device_name > ${device} or p.point_name > ${point})`)
    : points;
  return withCircumstances(rest, q, tenantId, now)
    .select(['d.id as deviceId', 'd.deviceName', 'p.id as pointId', 'p.pointName'])
    .select('p.valueDecimal')
    .orderBy('d.deviceName')
    .orderBy('p.pointName')
    .limit(limit)
    .execute();
}

type Row = Awaited<ReturnType<typeof pageOf>>[number];

function valueOf(row: Row, { now, zone }: { now: number; zone: string }): ValueNow {
  const { deviceId, deviceName, pointId, pointName, unit } = row;
  const type = nameOf(ValueType, row.pointTypeFlag);
  const known = circumstancesOf(row, now);
  const found = silenceOf(known, now);
  return {
    deviceId,
    deviceName,
    pointId,
    pointName,
    unit,
    value: type === 'BOOLEAN' && row.calValue ? row.calValue === 'true' : shown(row),
    ageS: known.latest?.ageS ?? null,
    writable: row.rwFlag === RwFlag.READ_WRITE,
    why: found.cause === 'ARRIVING' ? null : sentenceOf(found, known, zone),
  };
}

const shown = ({ numValue, calValue, valueDecimal }: Row): number | string | null =>
  numValue === null ? calValue || null : Number(numValue.toFixed(Math.min(valueDecimal, 20)));
