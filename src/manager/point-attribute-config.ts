import type { z } from 'zod';

import type { Operation } from '../app.ts';
import { NotFound, Unprocessable } from '../core/errors.ts';
import { flag, EnableFlag } from '../core/flag.ts';
import { Id } from '../core/id.ts';
import { type ById, input, shared } from '../core/input.ts';
import { Page, type Paged } from '../core/page.ts';
import { Text } from '../core/text.ts';
import type { Queries } from '../db/connect.ts';
import { pageOf } from '../db/query-page.ts';
import { created, touched } from '../db/stamp.ts';
import { unlessTaken } from '../db/taken.ts';
import { inTenant } from '../db/tenant.ts';
import { checkConfig, HIDDEN, isSecret, requireAttribute } from './attribute.ts';
import { requireDevice } from './device.ts';
import { type Entity, entityOf, expectVersion, nextVersion, Version } from './entity.ts';
import { tellDrivers } from './metadata.ts';
import { requirePoint } from './point.ts';

/** The value a device has for an attribute of one of its points (SPEC.md, Platform objects: Config). */
export type PointAttributeConfig = Entity & {
  attributeId: string;
  attributeCode: string;
  configValue: string;
  deviceId: string;
  pointId: string;
};

export const AddConfig = input({
  ...shared,
  attributeId: Id,
  deviceId: Id,
  pointId: Id,
  configValue: Text(1024),
});
type AddConfig = z.infer<typeof AddConfig>;

export const UpdateConfig = input({
  ...shared,
  id: Id,
  version: Version,
  configValue: Text(1024).optional(),
});
type UpdateConfig = z.infer<typeof UpdateConfig>;

export const ConfigQuery = input({
  page: Page,
  attributeId: Id.optional(),
  deviceId: Id.optional(),
  pointId: Id.optional(),
  enableFlag: flag(EnableFlag).optional(),
});
type ConfigQuery = z.infer<typeof ConfigQuery>;

export const OfDevicePointAndAttribute = input({ deviceId: Id, pointId: Id, attributeId: Id });
type OfDevicePointAndAttribute = z.infer<typeof OfDevicePointAndAttribute>;
export const OfDeviceAndPoint = input({ deviceId: Id, pointId: Id });
export const OfDevice = input({ deviceId: Id });
type OfDevice = z.infer<typeof OfDevice>;

const select = (q: Queries, tenantId: string) =>
  q
    .selectFrom('svc_point_attribute_config as c')
    .innerJoin('svc_point_attribute as a', (join) =>
      join.onRef('a.tenantId', '=', 'c.tenantId').onRef('a.id', '=', 'c.attributeId'),
    )
    .selectAll('c')
    .select(['a.attributeCode', 'a.attributeExt'])
    .where('c.tenantId', '=', tenantId);

type Row = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirstOrThrow']>>;

const configOf = (row: Row): PointAttributeConfig => ({
  ...entityOf(row),
  attributeId: row.attributeId,
  attributeCode: row.attributeCode,
  configValue: isSecret(row.attributeExt) ? HIDDEN : row.configValue,
  deviceId: row.deviceId,
  pointId: row.pointId,
});

async function require(q: Queries, tenantId: string, id: string): Promise<PointAttributeConfig> {
  const row = await select(q, tenantId).where('c.id', '=', id).executeTakeFirst();
  if (!row) throw new NotFound('Config');
  return configOf(row);
}

export const add: Operation<AddConfig, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const adding = inTenant(app.db, tenantId, async (q) => {
    const device = await requireDevice(q, tenantId, given.deviceId);
    const point = await requirePoint(q, tenantId, given.pointId);
    if (point.profileId !== device.profileId)
      throw new Unprocessable("The point does not belong to the device's profile");
    const attribute = await requireAttribute(q, 'svc_point_attribute', tenantId, given.attributeId);
    checkConfig(attribute, device.driverId, given.configValue);
    return q
      .insertInto('svc_point_attribute_config')
      .values({ ...given, tenantId, ...created(app, caller) })
      .returning('id')
      .executeTakeFirstOrThrow();
  });
  const { id } = await unlessTaken('config', adding);
  await tellDrivers(app, tenantId, { deviceId: given.deviceId });
  return id;
};

export const update: Operation<UpdateConfig, void> = async (app, caller, given) => {
  const { id, version, ...change } = given;
  const { tenantId } = caller;
  const deviceId = await inTenant(app.db, tenantId, async (q) => {
    const before = await require(q, tenantId, id);
    expectVersion(version, before.version);
    const device = await requireDevice(q, tenantId, before.deviceId);
    const attribute = await requireAttribute(
      q,
      'svc_point_attribute',
      tenantId,
      before.attributeId,
    );
    if (change.configValue !== undefined)
      checkConfig(attribute, device.driverId, change.configValue);
    await q
      .updateTable('svc_point_attribute_config')
      .set({ ...change, ...touched(app, caller), version: nextVersion })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
    return before.deviceId;
  });
  await tellDrivers(app, tenantId, { deviceId });
};

export const remove: Operation<ById, void> = async (app, { tenantId }, { id }) => {
  const deviceId = await inTenant(app.db, tenantId, async (q) => {
    const before = await require(q, tenantId, id);
    await q
      .deleteFrom('svc_point_attribute_config')
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
    return before.deviceId;
  });
  await tellDrivers(app, tenantId, { deviceId });
};

export const byId: Operation<ById, PointAttributeConfig> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, (q) => require(q, tenantId, id));

export const byDevicePointAndAttribute: Operation<
  OfDevicePointAndAttribute,
  PointAttributeConfig
> = (app, { tenantId }, { deviceId, pointId, attributeId }) =>
  inTenant(app.db, tenantId, async (q) => {
    const row = await select(q, tenantId)
      .where('c.deviceId', '=', deviceId)
      .where('c.pointId', '=', pointId)
      .where('c.attributeId', '=', attributeId)
      .executeTakeFirst();
    if (!row) throw new NotFound('Config');
    return configOf(row);
  });

/** Of a device, or of one of its points; the first 10,000. */
export const byDevice: Operation<OfDevice & { pointId?: string }, PointAttributeConfig[]> = (
  app,
  { tenantId },
  { deviceId, pointId },
) =>
  inTenant(app.db, tenantId, async (q) => {
    await requireDevice(q, tenantId, deviceId);
    let query = select(q, tenantId).where('c.deviceId', '=', deviceId);
    if (pointId) query = query.where('c.pointId', '=', pointId);
    return (await query.orderBy('c.id').limit(10_000).execute()).map(configOf);
  });

export const page: Operation<ConfigQuery, Paged<PointAttributeConfig>> = (
  app,
  { tenantId },
  given,
) =>
  inTenant(app.db, tenantId, (q) => {
    let query = select(q, tenantId);
    if (given.attributeId) query = query.where('c.attributeId', '=', given.attributeId);
    if (given.pointId) query = query.where('c.pointId', '=', given.pointId);
    if (given.deviceId) query = query.where('c.deviceId', '=', given.deviceId);
    if (given.enableFlag !== undefined) query = query.where('c.enableFlag', '=', given.enableFlag);
    return pageOf(query.orderBy('c.id', 'desc'), given.page, configOf);
  });
