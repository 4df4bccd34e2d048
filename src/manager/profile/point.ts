import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { onIndexedPage, pageOf } from '../../db/query-page.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { listTotal } from '../../db/tenant-total.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerExt, AnswerId, named } from '../../kernel/entity/answer.ts';
import { byIdIn } from '../../kernel/entity/by-id.ts';
import { addRow, changeRow, deleteRow, Version } from '../../kernel/entity/change.ts';
import { inOrder, orders } from '../../kernel/entity/in-order.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { hold, lockedVersion } from '../../kernel/entity/row.ts';
import { Unprocessable } from '../../kernel/errors.ts';
import { flag, nameOf, EnableFlag } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, Ext, GivenCode, input, shared } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Name, Text } from '../../kernel/input/text.ts';
import { tellDrivers } from '../driver/driver-updates.ts';
import { entity } from '../entity/answer.ts';
import { EntityType, members, membership, unbind } from '../entity/entity-type.ts';
import { lockUnused } from '../entity/in-use.ts';
import { isNumeric, RwFlag, ValueType } from '../entity/value-type.ts';
import { profileOf } from './profile.ts';

/** Points that one device message may carry (bus/topic/topics.ts). */
const MAX_POINTS = 10_000;

export const Point = entity('Point', {
  pointName: z.string().meta({ examples: ['Outlet temperature'] }),
  pointCode: z.string().meta({ examples: ['outlet-temperature'] }),
  pointTypeFlag: named(ValueType),
  rwFlag: named(RwFlag),
  baseValue: z.number().meta({ examples: [0] }),
  multiple: z.number().meta({ examples: [0.1] }),
  valueDecimal: z
    .number()
    .int()
    .meta({ examples: [1] }),
  minValue: z
    .number()
    .nullable()
    .meta({ examples: [0] }),
  maxValue: z
    .number()
    .nullable()
    .meta({ examples: [90] }),
  deadband: z
    .number()
    .nullable()
    .meta({
      description: 'Largest change that counts as no change; null: derived from the value',
      examples: [0.5],
    }),
  unit: z.string().meta({ examples: ['°C'] }),
  profileId: AnswerId,
  pointExt: AnswerExt,
});
export type Point = z.output<typeof Point.schema>;

/** The example has numbers, as the limits of the other fields need. */
const PointType = flag(ValueType).meta({ examples: ['DOUBLE'] });
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
  pointTypeFlag: PointType,
  profileId: Id,
});
type AddPoint = z.infer<typeof AddPoint>;

export const UpdatePoint = input({
  ...fields,
  id: Id,
  version: Version,
  pointName: Name.optional(),
  pointTypeFlag: PointType.optional(),
  profileId: Id.optional(),
});
type UpdatePoint = z.infer<typeof UpdatePoint>;

export const PointQuery = input({
  ...membership,
  orderBy: orders('pointName').optional(),
  page: Page,
  pointName: Text(64).optional(),
  pointCode: Text(64).optional(),
  pointTypeFlag: PointType.optional(),
  rwFlag: flag(RwFlag).optional(),
  profileId: Id.optional(),
  deviceId: Id.optional(),
  enableFlag: flag(EnableFlag).optional(),
});
export type PointQuery = z.infer<typeof PointQuery>;

export const OfPoint = input({ pointId: Id });
export type OfPoint = z.infer<typeof OfPoint>;

/** All points of a profile, oldest first. */
export async function pointsOf(
  q: Queries,
  tenantId: string,
  profileId: string | ReturnType<typeof profileOf>,
): Promise<Point[]> {
  const rows = await q
    .selectFrom('svc_point')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('profileId', '=', profileId)
    .orderBy('id')
    .limit(MAX_POINTS)
    .execute();
  return rows.map(Point.of);
}

type Limits = {
  pointTypeFlag: number;
  minValue?: number | null | undefined;
  maxValue?: number | null | undefined;
  deadband?: number | null | undefined;
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
  checkLimits(given);
  const adding = inTenant(app.db, tenantId, async (q) => {
    await hold(q, 'svc_profile', tenantId, given.profileId);
    const { count } = await q
      .selectFrom('svc_point')
      .select((eb) => eb.fn.countAll<string>().as('count'))
      .where('tenantId', '=', tenantId)
      .where('profileId', '=', given.profileId)
      .executeTakeFirstOrThrow();
    if (Number(count) >= MAX_POINTS)
      throw new Unprocessable(`A profile has at most ${MAX_POINTS} points`);
    const pointCode = given.pointCode ?? randomUUID();
    return addRow(q, app, caller, 'svc_point', { ...given, pointCode });
  });
  const id = await conflictIfTaken('point', adding);
  await tellDrivers(app, tenantId, { profileId: given.profileId });
  return id;
};

export const update: Operation<UpdatePoint, void> = async (app, caller, given) => {
  const { id, profileId, ...change } = given;
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, async (q) => {
    const before = await lockedVersion(q, 'svc_point', tenantId, given);
    if (profileId !== undefined && profileId !== before.profileId)
      throw new Unprocessable('A point stays in its profile');
    const { pointTypeFlag = before.pointTypeFlag } = change;
    const { minValue = before.minValue, maxValue = before.maxValue } = change;
    const { deadband = before.deadband } = change;
    checkLimits({ pointTypeFlag, minValue, maxValue, deadband });
    return changeRow(q, app, caller, 'svc_point', { id, ...change });
  });
  const point = await conflictIfTaken('point', updating);
  await tellDrivers(app, tenantId, { profileId: point.profileId });
};

/** Refused with Conflict while a device has a config for it; its history stays. */
export const remove: Operation<ById, void> = async (app, { tenantId }, { id }) => {
  const profileId = await inTenant(app.db, tenantId, async (q) => {
    const point = await lockUnused(q, 'svc_point', tenantId, id);
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
    await deleteRow(q, 'svc_point', tenantId, id);
    return point.profileId;
  });
  await tellDrivers(app, tenantId, { profileId });
};

export const byId: Operation<ById, Point> = byIdIn('svc_point', Point.of);

/** The points of a list. */
export function pointsIn(q: Queries, tenantId: string, given: PointQuery) {
  let query = narrowed(
    q.selectFrom('svc_point').selectAll('svc_point').where('tenantId', '=', tenantId),
    given,
    {
      like: ['pointName', 'pointCode'],
      equal: ['pointTypeFlag', 'rwFlag', 'enableFlag', 'profileId'],
    },
  );
  for (const ids of members(q, tenantId, EntityType.POINT, given))
    query = query.where('id', 'in', ids);
  if (given.deviceId)
    query = query.where('profileId', 'in', profileOf(q, tenantId, given.deviceId));
  return query;
}

export const page: Operation<PointQuery, Paged<Point>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, (q) => {
    const query = pointsIn(q, tenantId, given);
    const ordered = inOrder(query, given.orderBy);
    const total = listTotal(query, { q, tenantId, table: 'svc_point', given });
    return pageOf(ordered, given.page, Point.of, { total, rows: onIndexedPage });
  });
