import { sql } from 'kysely';
import { z } from 'zod';

import { AttributeType, Quality } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import { contains, pageOf } from '../../db/query-page.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { IsoTime, nameIn } from '../../kernel/entity/answer.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Moment } from '../../kernel/input/moment.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Text } from '../../kernel/input/text.ts';
import { ValueType } from '../../manager/entity/value-type.ts';
import {
  declaredInterval,
  type Freshness,
  freshnessOf,
  intervalOf,
  staleIssue,
} from './freshness.ts';
import type { Pair } from './pair.ts';
import { PointValue } from './point-value.ts';
import { valueIssue } from './stored-value.ts';

/** The latest value of a point; its fields are null, and its texts "NaN", if there is none. */
export const LatestValue = z
  .object({
    ...PointValue.shape,
    deviceName: z.string().meta({ examples: ['Boiler 2'] }),
    pointName: z.string().meta({ examples: ['Flow temperature'] }),
    pointCode: z.string().meta({ examples: ['flow-temperature'] }),
    pointTypeFlag: AttributeType,
    unit: z.string().meta({ examples: ['°C'] }),
    hasLatestValue: z.boolean(),
    quality: nameIn(Quality).nullable().describe('UNCERTAIN also for a GOOD value that is stale'),
    ageS: z.number().int().nullable().describe('Seconds since it was measured'),
    stale: z.boolean().nullable().describe('Whether a newer value is overdue'),
    expectedIntervalS: z.number().describe('Seconds between two values, as its driver declares'),
    valueIssue: z
      .string()
      .nullable()
      .meta({
        description:
          'Why not to trust the value: what its driver says, a wrong type, a time in the future, marked bad ' +
          'or stale',
        examples: ['The value is 312 s old; a newer one is expected every 30 s'],
      }),
    createTime: IsoTime.nullable().describe('When it was measured'),
    operateTime: IsoTime.nullable().describe('When it was received'),
  })
  .meta({ id: 'LatestValue' });
export type LatestValue = z.output<typeof LatestValue>;

export const LatestQuery = input({
  page: Page,
  deviceId: Id,
  pointId: Id.optional(),
  pointName: Text(64).optional(),
});
type LatestQuery = z.infer<typeof LatestQuery>;

export const ListQuery = input({
  page: Page,
  deviceId: Id.optional(),
  deviceName: Text(64).optional(),
  pointId: Id.optional(),
  pointName: Text(64).optional(),
  createTimeFrom: Moment.optional(),
  rangeHours: z.coerce
    .number()
    .int()
    .min(1)
    .max(8760)
    .meta({ examples: [24] })
    .optional(),
});
type ListQuery = z.infer<typeof ListQuery>;

/** The points `p` of devices `d` of drivers `v`, each with its latest value `l` if there is one. */
export const joinedLatest = (q: Queries, tenantId: string) =>
  q
    .selectFrom('svc_device as d')
    .innerJoin('svc_point as p', (join) =>
      join.onRef('p.tenantId', '=', 'd.tenantId').onRef('p.profileId', '=', 'd.profileId'),
    )
    .innerJoin('svc_driver as v', (join) =>
      join.onRef('v.tenantId', '=', 'd.tenantId').onRef('v.id', '=', 'd.driverId'),
    )
    .leftJoin('svc_point_latest as l', (join) =>
      join
        .onRef('l.tenantId', '=', 'd.tenantId')
        .onRef('l.deviceId', '=', 'd.id')
        .onRef('l.pointId', '=', 'p.id'),
    )
    .where('d.tenantId', '=', tenantId);

export const pointsWithLatest = (q: Queries, tenantId: string) =>
  joinedLatest(q, tenantId)
    .select(['d.tenantId', 'd.id as deviceId', 'd.deviceName', 'd.driverId'])
    .select(['p.id as pointId', 'p.pointName', 'p.pointCode', 'p.pointTypeFlag', 'p.unit'])
    .select([
      'l.rawValue',
      'l.calValue',
      'l.numValue',
      'l.quality',
      'l.createTime',
      'l.receiveTime',
      'l.claimedTime',
      'l.issue',
    ])
    .select(declaredInterval.as('declaredInterval'));

type PointRow = Awaited<ReturnType<ReturnType<typeof pointsWithLatest>['executeTakeFirstOrThrow']>>;

function issueOf({ pointTypeFlag, calValue, quality, issue }: PointRow): string | null {
  if (calValue === null || quality === null) return null;
  const stored = { calValue, quality: nameOf(Quality, quality), issue };
  return valueIssue(nameOf(ValueType, pointTypeFlag), stored);
}

function freshnessOfRow(row: PointRow, now: number): Freshness | null {
  if (row.createTime === null || row.quality === null) return null;
  const { createTime } = row;
  const intervalMs = intervalOf(row.declaredInterval);
  return freshnessOf({ createTime, quality: nameOf(Quality, row.quality) }, { intervalMs, now });
}

export function latestValueOf(row: PointRow, now: number): LatestValue {
  const fresh = freshnessOfRow(row, now);
  return {
    tenantId: row.tenantId,
    deviceId: row.deviceId,
    deviceName: row.deviceName,
    driverId: row.driverId,
    pointId: row.pointId,
    pointName: row.pointName,
    pointCode: row.pointCode,
    pointTypeFlag: nameOf(ValueType, row.pointTypeFlag),
    unit: row.unit,
    rawValue: row.rawValue ?? 'NaN',
    calValue: row.calValue ?? 'NaN',
    numValue: row.numValue,
    hasLatestValue: row.createTime !== null,
    quality: fresh?.quality ?? null,
    ageS: fresh?.ageS ?? null,
    stale: fresh?.stale ?? null,
    expectedIntervalS: intervalOf(row.declaredInterval) / 1000,
    valueIssue: issueOf(row) ?? (fresh?.stale ? staleIssue(fresh) : null),
    createTime: row.createTime?.toISOString() ?? null,
    operateTime: row.receiveTime?.toISOString() ?? null,
    claimedTime: row.claimedTime?.toISOString() ?? null,
  };
}

/** The latest values of the pairs that exist. */
export async function latestOf(
  q: Queries,
  tenantId: string,
  pairs: readonly Pair[],
  now: number,
): Promise<LatestValue[]> {
  const asked = sql`select * from unnest(${pairs.map(({ deviceId }) => deviceId)}::bigint[],
    ${pairs.map(({ pointId }) => pointId)}::bigint[])`;
  const rows = await pointsWithLatest(q, tenantId)
    .where(sql<boolean>`(d.id, p.id) in (${asked})`)
    .execute();
  return rows.map((row) => latestValueOf(row, now));
}

/**
 * A page over the points of a device, each with its latest value (docs/specification/endpoints.md, POST
 * /api/v3/data/point_value/latest).
 */
export const latest: Operation<LatestQuery, Paged<LatestValue>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, async (q) => {
    let query = pointsWithLatest(q, tenantId).where('d.id', '=', given.deviceId);
    if (given.pointId) query = query.where('p.id', '=', given.pointId);
    if (given.pointName) query = query.where('p.pointName', 'ilike', contains(given.pointName));
    const now = app.clock.now();
    const [, found] = await Promise.all([
      rowOf(q, 'svc_device', tenantId, given.deviceId),
      pageOf(query.orderBy('p.id'), given.page, (row) => latestValueOf(row, now)),
    ]);
    return found;
  });

/** A page over the latest values of the tenant, newest first. */
export const page: Operation<ListQuery, Paged<LatestValue>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, (q) => {
    const now = app.clock.now();
    let query = pointsWithLatest(q, tenantId).where('l.createTime', 'is not', null);
    if (given.deviceId) query = query.where('d.id', '=', given.deviceId);
    if (given.deviceName) query = query.where('d.deviceName', 'ilike', contains(given.deviceName));
    if (given.pointId) query = query.where('p.id', '=', given.pointId);
    if (given.pointName) query = query.where('p.pointName', 'ilike', contains(given.pointName));
    if (given.createTimeFrom !== undefined)
      query = query.where('l.createTime', '>=', new Date(given.createTimeFrom));
    if (given.rangeHours !== undefined) {
      const from = new Date(now - given.rangeHours * 3_600_000);
      query = query.where('l.createTime', '>=', from);
    }
    const newestFirst = query.orderBy('l.createTime', 'desc').orderBy('d.id').orderBy('p.id');
    return pageOf(newestFirst, given.page, (row) => latestValueOf(row, now));
  });
