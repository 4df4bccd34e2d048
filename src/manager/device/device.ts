import { randomUUID } from 'node:crypto';

import type { Selectable } from 'kysely';
import type { z } from 'zod';

import type { Operation } from '../../app.ts';
import { NotFound } from '../../core/errors.ts';
import { flag, EnableFlag } from '../../core/input/flag.ts';
import { Id } from '../../core/input/id.ts';
import { type ById, type ByIds, Ext, GivenCode, input, shared } from '../../core/input/input.ts';
import { Page, type Paged } from '../../core/input/page.ts';
import { Name, Text } from '../../core/input/text.ts';
import type { Queries } from '../../db/connect.ts';
import { contains, pageOf } from '../../db/query-page.ts';
import type { DeviceTable } from '../../db/schema/manager.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import { tellDrivers, tellRemoved } from '../driver/driver-updates.ts';
import { byKey, type Entity, entityOf, expectVersion, nextVersion, Version } from '../entity.ts';
import { EntityType, members, membership, unbind } from '../group/entity-type.ts';
import { holdProfile } from '../profile/profile.ts';

export type Device = Entity & {
  deviceName: string;
  deviceCode: string;
  driverId: string;
  profileId: string;
  deviceExt: Record<string, unknown>;
};

const deviceOf = (row: Selectable<DeviceTable>): Device => ({
  ...entityOf(row),
  deviceName: row.deviceName,
  deviceCode: row.deviceCode,
  driverId: row.driverId,
  profileId: row.profileId,
  deviceExt: row.deviceExt,
});

const fields = { ...shared, deviceExt: Ext.optional() };

/** docs/specification/endpoints.md, POST /api/v3/manager/device/add. */
export const AddDevice = input({
  ...fields,
  deviceName: Name,
  deviceCode: GivenCode,
  driverId: Id,
  profileId: Id,
});
type AddDevice = z.infer<typeof AddDevice>;

export const UpdateDevice = input({
  ...fields,
  id: Id,
  version: Version,
  deviceName: Name.optional(),
  driverId: Id.optional(),
  profileId: Id.optional(),
});
type UpdateDevice = z.infer<typeof UpdateDevice>;

export const DeviceQuery = input({
  ...membership,
  page: Page,
  deviceName: Text(64).optional(),
  deviceCode: Text(64).optional(),
  driverId: Id.optional(),
  profileId: Id.optional(),
  enableFlag: flag(EnableFlag).optional(),
});
export type DeviceQuery = z.infer<typeof DeviceQuery>;

export const ByProfile = input({ profileId: Id });
type ByProfile = z.infer<typeof ByProfile>;

export const OfDriver = input({ driverId: Id });
type OfDriver = z.infer<typeof OfDriver>;

const MAX_LIST = 1000;

/** Throws NotFound, also for another tenant's (docs/specification/tenant-isolation.md 2). */
export async function requireDevice(q: Queries, tenantId: string, id: string): Promise<Device> {
  const row = await q
    .selectFrom('svc_device')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw new NotFound('Device');
  return deviceOf(row);
}

/** Keeps the driver from being deleted until this transaction ends; throws NotFound. */
async function holdDriver(q: Queries, tenantId: string, id: string): Promise<void> {
  const row = await q
    .selectFrom('svc_driver')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .forShare()
    .executeTakeFirst();
  if (!row) throw new NotFound('Driver');
}

export const add: Operation<AddDevice, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const adding = inTenant(app.db, tenantId, async (q) => {
    await holdDriver(q, tenantId, given.driverId);
    await holdProfile(q, tenantId, given.profileId);
    return q
      .insertInto('svc_device')
      .values({
        ...given,
        deviceCode: given.deviceCode ?? randomUUID(),
        tenantId,
        ...created(app, caller),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
  });
  const { id } = await conflictIfTaken('device', adding);
  await tellDrivers(app, tenantId, { deviceId: id });
  return id;
};

/** A device that changes its driver or profile loses the configs that belong to the old one. */
export const update: Operation<UpdateDevice, void> = async (app, caller, given) => {
  const { id, version, ...change } = given;
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, async (q) => {
    const before = await lock(q, tenantId, id);
    expectVersion(version, before.version);
    const newDriver = change.driverId !== undefined && change.driverId !== before.driverId;
    const newProfile = change.profileId !== undefined && change.profileId !== before.profileId;
    if (change.driverId && newDriver) await holdDriver(q, tenantId, change.driverId);
    if (change.profileId && newProfile) await holdProfile(q, tenantId, change.profileId);
    if (newDriver) await deleteOf(q, tenantId, id, IDENTITY);
    if (newDriver || newProfile) await deleteOf(q, tenantId, id, PART_CONFIGS);
    if (newProfile) await deleteOf(q, tenantId, id, ['svc_point_latest']);
    if (newDriver) await forgetState(q, tenantId, id);
    await q
      .updateTable('svc_device')
      .set({ ...change, ...touched(app, caller), version: nextVersion })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
    return newDriver ? before.driverCode : null;
  });
  const leftDriver = await conflictIfTaken('device', updating);
  if (leftDriver !== null)
    await tellRemoved(app, { tenantId, deviceId: id, driverCode: leftDriver });
  await tellDrivers(app, tenantId, { deviceId: id });
};

/** Deletes the device with its configs, state and latest values; its history stays. */
export const remove: Operation<ById, void> = async (app, { tenantId }, { id }) => {
  const { driverCode } = await inTenant(app.db, tenantId, async (q) => {
    const device = await lock(q, tenantId, id);
    await deleteOf(q, tenantId, id, [...PART_CONFIGS, ...IDENTITY, 'svc_point_latest']);
    await forgetState(q, tenantId, id);
    await unbind(q, tenantId, EntityType.DEVICE, id);
    await q
      .deleteFrom('svc_device')
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
    return device;
  });
  await tellRemoved(app, { tenantId, deviceId: id, driverCode });
};

/** Configs for the attributes of the driver, on points, commands and events of the profile. */
const PART_CONFIGS = [
  'svc_point_attribute_config',
  'svc_command_attribute_config',
  'svc_event_attribute_config',
] as const;
/** Configs for the driver's own attributes, and the names claimed by them. */
const IDENTITY = ['svc_driver_attribute_config', 'svc_endpoint_claim'] as const;
type OfDevice = (typeof PART_CONFIGS)[number] | (typeof IDENTITY)[number] | 'svc_point_latest';

async function deleteOf(
  q: Queries,
  tenantId: string,
  deviceId: string,
  tables: readonly OfDevice[],
): Promise<void> {
  for (const table of tables)
    await q
      .deleteFrom(table)
      .where('tenantId', '=', tenantId)
      .where('deviceId', '=', deviceId)
      .execute();
}

async function forgetState(q: Queries, tenantId: string, deviceId: string): Promise<void> {
  await q
    .deleteFrom('svc_entity_state')
    .where('tenantId', '=', tenantId)
    .where('entityTypeFlag', '=', EntityType.DEVICE)
    .where('entityId', '=', deviceId)
    .execute();
}

async function lock(q: Queries, tenantId: string, id: string) {
  const row = await q
    .selectFrom('svc_device as d')
    .innerJoin('svc_driver as v', (join) =>
      join.onRef('v.tenantId', '=', 'd.tenantId').onRef('v.id', '=', 'd.driverId'),
    )
    .select(['d.version', 'd.driverId', 'd.profileId', 'v.driverCode'])
    .where('d.tenantId', '=', tenantId)
    .where('d.id', '=', id)
    .forUpdate('d')
    .executeTakeFirst();
  if (!row) throw new NotFound('Device');
  return row;
}

export const byId: Operation<ById, Device> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, (q) => requireDevice(q, tenantId, id));

/** Ids that are missing or another tenant's are dropped (docs/specification/tenant-isolation.md 3). */
export const byIds: Operation<ByIds, Record<string, Device>> = (app, { tenantId }, { ids }) =>
  inTenant(app.db, tenantId, async (q) => {
    const rows = await q
      .selectFrom('svc_device')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .where('id', 'in', ids.length > 0 ? ids : ['0'])
      .execute();
    return byKey(rows.map(deviceOf));
  });

/** At most 1,000 devices; `page` reaches the rest. */
export const byProfile: Operation<ByProfile, Device[]> = (app, { tenantId }, { profileId }) =>
  inTenant(app.db, tenantId, async (q) => {
    const rows = await q
      .selectFrom('svc_device')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .where('profileId', '=', profileId)
      .orderBy('id', 'desc')
      .limit(MAX_LIST)
      .execute();
    return rows.map(deviceOf);
  });

export const countByDriver: Operation<OfDriver, number> = (app, { tenantId }, { driverId }) =>
  inTenant(app.db, tenantId, async (q) => {
    await holdDriver(q, tenantId, driverId);
    const { total } = await q
      .selectFrom('svc_device')
      .select((eb) => eb.fn.countAll<string>().as('total'))
      .where('tenantId', '=', tenantId)
      .where('driverId', '=', driverId)
      .executeTakeFirstOrThrow();
    return Number(total);
  });

export const page: Operation<DeviceQuery, Paged<Device>> = (app, { tenantId }, given) =>
  inTenant(app.db, tenantId, (q) => {
    let query = q.selectFrom('svc_device').selectAll().where('tenantId', '=', tenantId);
    for (const ids of members(q, tenantId, EntityType.DEVICE, given))
      query = query.where('id', 'in', ids);
    if (given.deviceName) query = query.where('deviceName', 'ilike', contains(given.deviceName));
    if (given.deviceCode) query = query.where('deviceCode', 'ilike', contains(given.deviceCode));
    if (given.driverId) query = query.where('driverId', '=', given.driverId);
    if (given.profileId) query = query.where('profileId', '=', given.profileId);
    if (given.enableFlag !== undefined) query = query.where('enableFlag', '=', given.enableFlag);
    return pageOf(query.orderBy('createTime', 'desc').orderBy('id', 'desc'), given.page, deviceOf);
  });
