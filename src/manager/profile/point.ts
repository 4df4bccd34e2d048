import { randomUUID } from 'node:crypto';

import type { Selectable } from 'kysely';
import { z } from 'zod';

import type { Operation } from '../../app.ts';
import type { AttributeType } from '../../bus/topics.ts';
import { NotFound, Unprocessable } from '../../core/errors.ts';
import { flag, nameOf, EnableFlag } from '../../core/input/flag.ts';
import { Id } from '../../core/input/id.ts';
import { type ById, Ext, GivenCode, input, shared } from '../../core/input/input.ts';
import { Page, type Paged } from '../../core/input/page.ts';
import { Name, Text } from '../../core/input/text.ts';
import type { Queries } from '../../db/connect.ts';
import { contains, pageOf } from '../../db/query-page.ts';
import type { PointTable } from '../../db/schema/manager.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import { RwFlag, tellDrivers } from '../driver/driver-updates.ts';
import { type Entity, entityOf, expectVersion, nextVersion, Version } from '../entity.ts';
import { EntityType, members, membership, unbind } from '../group/entity-type.ts';
import { lockUnused } from '../in-use.ts';
import { holdProfile } from './profile.ts';
import { isNumeric, ValueType } from './value-type.ts';

/** Points that one device message may carry (bus/topics.ts). */
const MAX_POINTS = 10_000;

export type Point = Entity & {
  pointName: string;
  pointCode: string;
  pointTypeFlag: AttributeType;
  rwFlag: keyof typeof RwFlag;
  baseValue: number;
  multiple: number;
  valueDecimal: number;
  minValue: number | null;
  maxValue: number | null;
  /** Largest change that counts as no change; null: derived (deadband.ts). */
  deadband: number | null;
  unit: string;
  profileId: string;
  pointExt: Record<string, unknown>;
};

export const pointOf = (row: Selectable<PointTable>): Point => ({
  ...entityOf(row),
  pointName: row.pointName,
  pointCode: row.pointCode,
  pointTypeFlag: nameOf(ValueType, row.pointTypeFlag),
  rwFlag: nameOf(RwFlag, row.rwFlag),
  baseValue: row.baseValue,
  multiple: row.multiple,
  valueDecimal: row.valueDecimal,
  minValue: row.minValue,
  maxValue: row.maxValue,
  deadband: row.deadband,
  unit: row.unit,
  profileId: row.profileId,
  pointExt: row.pointExt,
});

const fields = {
  ...shared,
  rwFlag: flag(RwFlag).optional(),
  baseValue: z.number().optional(),
  multiple: z
    .number()
    .refine((multiple) => multiple !== 0, 'must not be 0')
    .optional(),
  valueDecimal: z.number().int().min(0).max(15).optional(),
  minValue: z.number().nullable().optional(),
  maxValue: z.number().nullable().optional(),
  deadband: z.number().min(0).nullable().optional(),
  unit: Text(32).optional(),
  pointExt: Ext.optional(),
};

export const AddPoint = input({
  ...fields,
  pointName: Name,
  pointCode: GivenCode,
  pointTypeFlag: flag(ValueType),
  profileId: Id,
});
type AddPoint = z.infer<typeof AddPoint>;

export const UpdatePoint = input({
  ...fields,
  id: Id,
  version: Version,
  pointName: Name.optional(),
  pointTypeFlag: flag(ValueType).optional(),
  profileId: Id.optional(),
});
type UpdatePoint = z.infer<typeof UpdatePoint>;

export const PointQuery = input({
  ...membership,
  page: Page,
  pointName: Text(64).optional(),
  pointCode: Text(64).optional(),
  pointTypeFlag: flag(ValueType).optional(),
  rwFlag: flag(RwFlag).optional(),
  profileId: Id.optional(),
  deviceId: Id.optional(),
  enableFlag: flag(EnableFlag).optional(),
});
type PointQuery = z.infer<typeof PointQuery>;

/** Throws NotFound, also for another tenant's (docs/specification/tenant-isolation.md 2). */
export async function requirePoint(q: Queries, tenantId: string, id: string): Promise<Point> {
  const row = await q
    .selectFrom('svc_point')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw new NotFound('Point');
  return pointOf(row);
}

/** All points of a profile, oldest first. */
export async function pointsOf(q: Queries, tenantId: string, profileId: string): Promise<Point[]> {
  const rows = await q
    .selectFrom('svc_point')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('profileId', '=', profileId)
    .orderBy('id')
    .limit(MAX_POINTS)
    .execute();
  return rows.map(pointOf);
}

type Limits = {
  pointTypeFlag: number;
  minValue?: number | null;
  maxValue?: number | null;
  deadband?: number | null;
};

function checkLimits({ minValue = null, maxValue = null, ...point }: Limits): void {
  const { pointTypeFlag, deadband = null } = point;
  if (minValue === null && maxValue === null && deadband === null) return;
  if (!isNumeric(nameOf(ValueType, pointTypeFlag)))
    throw new Unprocessable('Only a point with numbers can have limits or a deadband');
  if (minValue !== null && maxValue !== null && minValue >= maxValue)
    throw new Unprocessable('minValue must be less than maxValue');
}

export const add: Operation<AddPoint, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const { minValue = null, maxValue = null, deadband = null, ...rest } = given;
  checkLimits({ pointTypeFlag: given.pointTypeFlag, minValue, maxValue, deadband });
  const adding = inTenant(app.db, tenantId, async (q) => {
    await holdProfile(q, tenantId, given.profileId);
    const { count } = await q
      .selectFrom('svc_point')
      .select((eb) => eb.fn.countAll<string>().as('count'))
      .where('tenantId', '=', tenantId)
      .where('profileId', '=', given.profileId)
      .executeTakeFirstOrThrow();
    if (Number(count) >= MAX_POINTS)
      throw new Unprocessable(`A profile has at most ${MAX_POINTS} points`);
    return q
      .insertInto('svc_point')
      .values({
        ...rest,
        minValue,
        maxValue,
        deadband,
        pointCode: given.pointCode ?? randomUUID(),
        tenantId,
        ...created(app, caller),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
  });
  const { id } = await conflictIfTaken('point', adding);
  await tellDrivers(app, tenantId, { profileId: given.profileId });
  return id;
};

export const update: Operation<UpdatePoint, void> = async (app, caller, given) => {
  const { id, version, profileId, ...change } = given;
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, async (q) => {
    const before = await lock(q, tenantId, id);
    expectVersion(version, before.version);
    if (profileId !== undefined && profileId !== before.profileId)
      throw new Unprocessable('A point stays in its profile');
    const { pointTypeFlag = before.pointTypeFlag } = change;
    const { minValue = before.minValue, maxValue = before.maxValue } = change;
    const { deadband = before.deadband } = change;
    checkLimits({ pointTypeFlag, minValue, maxValue, deadband });
    await q
      .updateTable('svc_point')
      .set({ ...change, ...touched(app, caller), version: nextVersion })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
    return before.profileId;
  });
  await tellDrivers(app, tenantId, { profileId: await conflictIfTaken('point', updating) });
};

/** Refused with Conflict while a device has a config for it; its history stays. */
export const remove: Operation<ById, void> = async (app, { tenantId }, { id }) => {
  const profileId = await inTenant(app.db, tenantId, async (q) => {
    const point = await lock(q, tenantId, id);
    await lockUnused(q, 'svc_point', tenantId, id);
    await unbind(q, tenantId, EntityType.POINT, id);
    await q
      .deleteFrom('svc_point_latest')
      .where('tenantId', '=', tenantId)
      .where('pointId', '=', id)
      .where('deviceId', 'in', (eb) =>
        eb
          .selectFrom('svc_device')
          .select('id')
          .where('tenantId', '=', tenantId)
          .where('profileId', '=', point.profileId),
      )
      .execute();
    await q.deleteFrom('svc_point').where('tenantId', '=', tenantId).where('id', '=', id).execute();
    return point.profileId;
  });
  await tellDrivers(app, tenantId, { profileId });
};

async function lock(q: Queries, tenantId: string, id: string): Promise<Selectable<PointTable>> {
  const row = await q
    .selectFrom('svc_point')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw new NotFound('Point');
  return row;
}

export const byId: Operation<ById, Point> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, (q) => requirePoint(q, tenantId, id));

export const page: Operation<PointQuery, Paged<Point>> = (app, { tenantId }, given) =>
  inTenant(app.db, tenantId, (q) => {
    let query = q.selectFrom('svc_point').selectAll().where('tenantId', '=', tenantId);
    for (const ids of members(q, tenantId, EntityType.POINT, given))
      query = query.where('id', 'in', ids);
    if (given.pointName) query = query.where('pointName', 'ilike', contains(given.pointName));
    if (given.pointCode) query = query.where('pointCode', 'ilike', contains(given.pointCode));
    if (given.pointTypeFlag !== undefined)
      query = query.where('pointTypeFlag', '=', given.pointTypeFlag);
    if (given.rwFlag !== undefined) query = query.where('rwFlag', '=', given.rwFlag);
    if (given.enableFlag !== undefined) query = query.where('enableFlag', '=', given.enableFlag);
    if (given.profileId) query = query.where('profileId', '=', given.profileId);
    if (given.deviceId)
      query = query.where('profileId', 'in', (eb) =>
        eb
          .selectFrom('svc_device')
          .select('profileId')
          .where('tenantId', '=', tenantId)
          .where('id', '=', given.deviceId ?? '0'),
      );
    return pageOf(query.orderBy('createTime', 'desc').orderBy('id', 'desc'), given.page, pointOf);
  });
