import type { z } from 'zod';

import type { Operation } from '../../app.ts';
import { NotFound } from '../../core/errors.ts';
import { flag, EnableFlag } from '../../core/input/flag.ts';
import { Id } from '../../core/input/id.ts';
import { type ById, Ext, input, shared } from '../../core/input/input.ts';
import { Page, type Paged } from '../../core/input/page.ts';
import { Text } from '../../core/input/text.ts';
import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import { hold } from '../../entity/row.ts';
import { rowOf } from '../../entity/row.ts';
import { Device } from '../device/device.ts';
import { tellDrivers } from '../driver/driver-updates.ts';
import { type Entity, entityOf, expectVersion, nextVersion, Version } from '../entity.ts';
import { checkConfig, HIDDEN, isSecret, requireAttribute } from './attribute.ts';
import { claimEndpoint, freeEndpoint } from './endpoint-claim.ts';

/** A device's value for a driver attribute (docs/specification/objects.md, Config). */
export type DriverAttributeConfig = Entity & {
  attributeId: string;
  attributeCode: string;
  configValue: string;
  configExt: Record<string, unknown>;
  deviceId: string;
};

export const AddConfig = input({
  ...shared,
  attributeId: Id,
  deviceId: Id,
  configValue: Text(1024),
  configExt: Ext.optional(),
});
type AddConfig = z.infer<typeof AddConfig>;

export const UpdateConfig = input({
  ...shared,
  id: Id,
  version: Version,
  configValue: Text(1024).optional(),
  configExt: Ext.optional(),
});
type UpdateConfig = z.infer<typeof UpdateConfig>;

export const ConfigQuery = input({
  page: Page,
  attributeId: Id.optional(),
  deviceId: Id.optional(),
  enableFlag: flag(EnableFlag).optional(),
});
type ConfigQuery = z.infer<typeof ConfigQuery>;

export const OfDeviceAndAttribute = input({ deviceId: Id, attributeId: Id });
type OfDeviceAndAttribute = z.infer<typeof OfDeviceAndAttribute>;
export const OfDevice = input({ deviceId: Id });
type OfDevice = z.infer<typeof OfDevice>;

const select = (q: Queries, tenantId: string) =>
  q
    .selectFrom('svc_driver_attribute_config as c')
    .innerJoin('svc_driver_attribute as a', (join) =>
      join.onRef('a.tenantId', '=', 'c.tenantId').onRef('a.id', '=', 'c.attributeId'),
    )
    .selectAll('c')
    .select(['a.attributeCode', 'a.attributeExt'])
    .where('c.tenantId', '=', tenantId);

type Row = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirstOrThrow']>>;

const configOf = (row: Row): DriverAttributeConfig => ({
  ...entityOf(row),
  attributeId: row.attributeId,
  attributeCode: row.attributeCode,
  configValue: isSecret(row.attributeExt) ? HIDDEN : row.configValue,
  configExt: row.configExt,
  deviceId: row.deviceId,
});

async function require(q: Queries, tenantId: string, id: string): Promise<DriverAttributeConfig> {
  const row = await select(q, tenantId).where('c.id', '=', id).executeTakeFirst();
  if (!row) throw new NotFound('Config');
  return configOf(row);
}

/** As `require`; keeps the device and the config from being deleted until this transaction ends. */
async function lock(q: Queries, tenantId: string, id: string): Promise<DriverAttributeConfig> {
  const { deviceId } = await require(q, tenantId, id);
  await hold(q, 'svc_device', tenantId, deviceId);
  await q
    .selectFrom('svc_driver_attribute_config')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .forUpdate()
    .execute();
  return require(q, tenantId, id);
}

export const add: Operation<AddConfig, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const adding = inTenant(app.db, tenantId, async (q) => {
    await hold(q, 'svc_device', tenantId, given.deviceId);
    const device = Device.of(await rowOf(q, 'svc_device', tenantId, given.deviceId));
    await hold(q, 'svc_driver_attribute', tenantId, given.attributeId);
    const attribute = await requireAttribute(
      q,
      'svc_driver_attribute',
      tenantId,
      given.attributeId,
    );
    const { deviceId, configValue: endpoint } = given;
    checkConfig(attribute, device.driverId, endpoint);
    const config = await q
      .insertInto('svc_driver_attribute_config')
      .values({ ...given, tenantId, ...created(app, caller) })
      .returning('id')
      .executeTakeFirstOrThrow();
    const claim = { driverId: device.driverId, deviceId, configId: config.id, endpoint };
    await claimEndpoint(q, tenantId, attribute, claim);
    return config;
  });
  const { id } = await conflictIfTaken('config', adding);
  await tellDrivers(app, tenantId, { deviceId: given.deviceId });
  return id;
};

export const update: Operation<UpdateConfig, void> = async (app, caller, given) => {
  const { id, version, ...change } = given;
  const { tenantId } = caller;
  const deviceId = await inTenant(app.db, tenantId, async (q) => {
    const before = await lock(q, tenantId, id);
    expectVersion(version, before.version);
    const device = Device.of(await rowOf(q, 'svc_device', tenantId, before.deviceId));
    const attribute = await requireAttribute(
      q,
      'svc_driver_attribute',
      tenantId,
      before.attributeId,
    );
    if (change.configValue !== undefined)
      checkConfig(attribute, device.driverId, change.configValue);
    await q
      .updateTable('svc_driver_attribute_config')
      .set({ ...change, ...touched(app, caller), version: nextVersion })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
    const claim = { driverId: device.driverId, deviceId: before.deviceId, configId: id };
    const { configValue: endpoint } = change;
    if (endpoint !== undefined) await claimEndpoint(q, tenantId, attribute, { ...claim, endpoint });
    return before.deviceId;
  });
  await tellDrivers(app, tenantId, { deviceId });
};

export const remove: Operation<ById, void> = async (app, { tenantId }, { id }) => {
  const deviceId = await inTenant(app.db, tenantId, async (q) => {
    const before = await require(q, tenantId, id);
    await q
      .deleteFrom('svc_driver_attribute_config')
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
    await freeEndpoint(q, tenantId, id);
    return before.deviceId;
  });
  await tellDrivers(app, tenantId, { deviceId });
};

export const byId: Operation<ById, DriverAttributeConfig> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, (q) => require(q, tenantId, id));

export const byDeviceAndAttribute: Operation<OfDeviceAndAttribute, DriverAttributeConfig> = (
  app,
  { tenantId },
  { deviceId, attributeId },
) =>
  inTenant(app.db, tenantId, async (q) => {
    const row = await select(q, tenantId)
      .where('c.deviceId', '=', deviceId)
      .where('c.attributeId', '=', attributeId)
      .executeTakeFirst();
    if (!row) throw new NotFound('Config');
    return configOf(row);
  });

/** All configs of a device: at most one per attribute. */
export const byDevice: Operation<OfDevice, DriverAttributeConfig[]> = (
  app,
  { tenantId },
  { deviceId },
) =>
  inTenant(app.db, tenantId, async (q) => {
    Device.of(await rowOf(q, 'svc_device', tenantId, deviceId));
    const query = select(q, tenantId).where('c.deviceId', '=', deviceId);
    return (await query.orderBy('c.id').limit(1000).execute()).map(configOf);
  });

export const page: Operation<ConfigQuery, Paged<DriverAttributeConfig>> = (
  app,
  { tenantId },
  given,
) =>
  inTenant(app.db, tenantId, (q) => {
    let query = select(q, tenantId);
    if (given.attributeId) query = query.where('c.attributeId', '=', given.attributeId);
    if (given.deviceId) query = query.where('c.deviceId', '=', given.deviceId);
    if (given.enableFlag !== undefined) query = query.where('c.enableFlag', '=', given.enableFlag);
    return pageOf(query.orderBy('c.id', 'desc'), given.page, configOf);
  });
