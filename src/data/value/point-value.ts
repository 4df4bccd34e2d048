import { z } from 'zod';

import type { Operation } from '../../app.ts';
import { type AttributeType, Quality } from '../../bus/topics.ts';
import { Unprocessable } from '../../core/errors.ts';
import { nameOf } from '../../core/input/flag.ts';
import { Id } from '../../core/input/id.ts';
import { input } from '../../core/input/input.ts';
import { Page, type Paged } from '../../core/input/page.ts';
import { Text } from '../../core/input/text.ts';
import type { Queries } from '../../db/connect.ts';
import { contains, pageOf } from '../../db/query-page.ts';
import { inTenant } from '../../db/tenant.ts';
import { rowOf } from '../../entity/row.ts';
import { Device } from '../../manager/device/device.ts';
import { Point } from '../../manager/profile/point.ts';
import { ValueType } from '../../manager/profile/value-type.ts';
import {
  declaredInterval,
  expectedIntervalMs,
  type Freshness,
  freshnessOf,
  intervalOf,
  staleIssue,
} from './freshness.ts';
import { valueIssue } from './stored-value.ts';

/** A value of a point (docs/specification/objects.md, PointValue); `createTime` is its origin time. */
export type PointValue = {
  tenantId: string;
  deviceId: string;
  pointId: string;
  driverId: string;
  rawValue: string;
  calValue: string;
  numValue: number | null;
  quality: keyof typeof Quality;
  createTime: string;
  /** Time of reception. */
  operateTime: string;
  /** The sender's time if it was too far in the future; `createTime` is then the time of reception. */
  claimedTime: string | null;
};

/** The latest value of a point; `hasLatestValue: false` and "NaN" if there is none. */
export type LatestValue = Omit<PointValue, 'quality' | 'createTime' | 'operateTime'> & {
  deviceName: string;
  pointName: string;
  pointCode: string;
  pointTypeFlag: AttributeType;
  unit: string;
  hasLatestValue: boolean;
  /** UNCERTAIN also for a GOOD value that is stale; null without a value. */
  quality: keyof typeof Quality | null;
  /** Age of the value; null without one. */
  ageS: number | null;
  /** Whether a newer value is overdue; null without one. */
  stale: boolean | null;
  expectedIntervalS: number;
  /**
   * The reason not to trust the value: the driver's own issue, wrong type, time in the future, marked bad, or
   * stale.
   */
  valueIssue: string | null;
  createTime: string | null;
  operateTime: string | null;
};

/** A time in a request: ISO-8601, or milliseconds since the epoch in JSON. */
export const Moment = z.coerce
  .date()
  .min(new Date(0))
  .max(new Date(Date.UTC(9999, 0)))
  .transform((date) => date.getTime());

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
  rangeHours: z.coerce.number().int().min(1).max(8760).optional(),
});
type ListQuery = z.infer<typeof ListQuery>;

export type StoredRow = {
  tenantId: string;
  deviceId: string;
  pointId: string;
  driverId: string;
  rawValue: string;
  calValue: string;
  numValue: number | null;
  quality: number;
  createTime: Date;
  receiveTime: Date;
  claimedTime: Date | null;
};

export const valueOf = (row: StoredRow): PointValue => ({
  tenantId: row.tenantId,
  deviceId: row.deviceId,
  pointId: row.pointId,
  driverId: row.driverId,
  rawValue: row.rawValue,
  calValue: row.calValue,
  numValue: row.numValue,
  quality: nameOf(Quality, row.quality),
  createTime: row.createTime.toISOString(),
  operateTime: row.receiveTime.toISOString(),
  claimedTime: row.claimedTime?.toISOString() ?? null,
});

/** Null if the point has no value. */
export async function latestOf(
  q: Queries,
  tenantId: string,
  deviceId: string,
  pointId: string,
): Promise<PointValue | null> {
  const row = await q
    .selectFrom('svc_point_latest')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('deviceId', '=', deviceId)
    .where('pointId', '=', pointId)
    .executeTakeFirst();
  return row ? valueOf(row) : null;
}

/** Throws NotFound for a missing device or point, Unprocessable if they do not match. */
export async function requirePair(q: Queries, tenantId: string, deviceId: string, pointId: string) {
  const device = Device.of(await rowOf(q, 'svc_device', tenantId, deviceId));
  const point = Point.of(await rowOf(q, 'svc_point', tenantId, pointId));
  if (point.profileId !== device.profileId)
    throw new Unprocessable("The point does not belong to the device's profile");
}

type Pair = { deviceId: string; pointId: string };

/** The latest value with its freshness at `now`; null if there is none. */
async function freshLatestOf(
  q: Queries,
  tenantId: string,
  { deviceId, pointId }: Pair,
  now: number,
): Promise<(PointValue & Freshness) | null> {
  const value = await latestOf(q, tenantId, deviceId, pointId);
  if (!value) return null;
  const intervalMs = await expectedIntervalMs(q, tenantId, deviceId);
  return { ...value, ...freshnessOf(value, { intervalMs, now }) };
}

/** The latest value of one point; null if there is none. */
export const latestValue: Operation<Pair, (PointValue & Freshness) | null> = (
  app,
  { tenantId },
  given,
) =>
  inTenant(app.db, tenantId, async (q) => {
    await requirePair(q, tenantId, given.deviceId, given.pointId);
    return freshLatestOf(q, tenantId, given, app.clock.now());
  });

const points = (q: Queries, tenantId: string) =>
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
    .select(declaredInterval.as('declaredInterval'))
    .where('d.tenantId', '=', tenantId);

type PointRow = Awaited<ReturnType<ReturnType<typeof points>['executeTakeFirstOrThrow']>>;

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

function latestValueOf(row: PointRow, now: number): LatestValue {
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

/**
 * A page over the points of a device, each with its latest value (docs/specification/endpoints.md, POST
 * /api/v3/data/point_value/latest).
 */
export const latest: Operation<LatestQuery, Paged<LatestValue>> = (app, { tenantId }, given) =>
  inTenant(app.db, tenantId, async (q) => {
    await rowOf(q, 'svc_device', tenantId, given.deviceId);
    let query = points(q, tenantId).where('d.id', '=', given.deviceId);
    if (given.pointId) query = query.where('p.id', '=', given.pointId);
    if (given.pointName) query = query.where('p.pointName', 'ilike', contains(given.pointName));
    const now = app.clock.now();
    return pageOf(query.orderBy('p.id'), given.page, (row) => latestValueOf(row, now));
  });

/** A page over the latest values of the tenant, newest first. */
export const page: Operation<ListQuery, Paged<LatestValue>> = (app, { tenantId }, given) =>
  inTenant(app.db, tenantId, (q) => {
    const now = app.clock.now();
    let query = points(q, tenantId).where('l.createTime', 'is not', null);
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
