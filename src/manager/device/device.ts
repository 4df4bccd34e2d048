import { randomUUID } from 'node:crypto';

import type { SelectQueryBuilder } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { onIndexedPage, pageOf } from '../../db/query-page.ts';
import type { Schema } from '../../db/schema.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { listTotal } from '../../db/tenant-total.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { AnswerExt, AnswerId } from '../../kernel/entity/answer.ts';
import { byIdIn } from '../../kernel/entity/by-id.ts';
import { addRow, changeRow, deleteRow, Version } from '../../kernel/entity/change.ts';
import { inOrder, orders } from '../../kernel/entity/in-order.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { hold, lockedRow, lockedVersion, rowOf, rowsOf } from '../../kernel/entity/row.ts';
import { flag, EnableFlag } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, type ByIds, Ext, GivenCode, input, shared } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Name, Text } from '../../kernel/input/text.ts';
import { tellDrivers, tellRemoved } from '../driver/driver-updates.ts';
import { byKey, entity } from '../entity/answer.ts';
import { EntityType, members, membership, unbind } from '../entity/entity-type.ts';
import type { OfDriver, OfProfile } from '../entity/of.ts';
import { devicesThat, Situation } from './situation.ts';

export const Device = entity('Device', {
  deviceName: z.string().meta({ examples: ['Boiler 2'] }),
  deviceCode: z.string().meta({ examples: ['boiler-2'] }),
  driverId: AnswerId,
  profileId: AnswerId,
  deviceExt: AnswerExt,
});
export type Device = z.output<typeof Device.schema>;

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
  orderBy: orders('deviceName').optional(),
  page: Page,
  deviceName: Text(64).optional(),
  deviceCode: Text(64).optional(),
  driverId: Id.optional(),
  profileId: Id.optional(),
  enableFlag: flag(EnableFlag).optional(),
  situation: Situation.describe('How its connection is now').optional(),
});
export type DeviceQuery = z.infer<typeof DeviceQuery>;

const MAX_LIST = 1000;

export const add: Operation<AddDevice, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const adding = inTenant(app.db, tenantId, async (q) => {
    await hold(q, 'svc_driver', tenantId, given.driverId);
    await hold(q, 'svc_profile', tenantId, given.profileId);
    const deviceCode = given.deviceCode ?? randomUUID();
    return addRow(q, app, caller, 'svc_device', { ...given, deviceCode });
  });
  const id = await conflictIfTaken('device', adding);
  await tellDrivers(app, tenantId, { deviceId: id });
  return id;
};

/**
 * The transaction of `update`; answers the code of the driver that the device left, null where it stays. Throws
 * NotFound, Conflict.
 */
export async function updateIn(
  q: Queries,
  app: App,
  caller: Caller,
  given: UpdateDevice,
): Promise<string | null> {
  const { id, ...change } = given;
  const { tenantId } = caller;
  const before = await lockedVersion(q, 'svc_device', tenantId, given);
  const newDriver = change.driverId !== undefined && change.driverId !== before.driverId;
  const newProfile = change.profileId !== undefined && change.profileId !== before.profileId;
  if (change.driverId && newDriver) await hold(q, 'svc_driver', tenantId, change.driverId);
  if (change.profileId && newProfile) await hold(q, 'svc_profile', tenantId, change.profileId);
  if (newDriver) await deleteOf(q, tenantId, id, [...IDENTITY, ...SAID]);
  if (newDriver || newProfile) await deleteOf(q, tenantId, id, PART_CONFIGS);
  if (newProfile) await deleteOf(q, tenantId, id, ['svc_point_latest']);
  if (newDriver) await forgetState(q, tenantId, id);
  await changeRow(q, app, caller, 'svc_device', { id, ...change });
  return newDriver ? driverCodeOf(q, tenantId, before.driverId) : null;
}

/** A device that changes its driver or profile loses the configs that belong to the old one. */
export const update: Operation<UpdateDevice, void> = async (app, caller, given) => {
  const { id } = given;
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, (q) => updateIn(q, app, caller, given));
  const leftDriver = await conflictIfTaken('device', updating);
  if (leftDriver !== null)
    await tellRemoved(app, { tenantId, deviceId: id, driverCode: leftDriver });
  await tellDrivers(app, tenantId, { deviceId: id });
};

/** Deletes the device with its configs, state and latest values; its history stays. */
export const remove: Operation<ById, void> = async (app, { tenantId }, { id }) => {
  const driverCode = await inTenant(app.db, tenantId, async (q) => {
    const { driverId } = await lockedRow(q, 'svc_device', tenantId, id);
    await deleteOf(q, tenantId, id, [
      ...PART_CONFIGS,
      ...IDENTITY,
      ...SAID,
      ...MANUALS,
      'svc_point_latest',
    ]);
    await forgetState(q, tenantId, id);
    await unbind(q, tenantId, EntityType.DEVICE, id);
    await deleteRow(q, 'svc_device', tenantId, id);
    return driverCodeOf(q, tenantId, driverId);
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
/** What the device said to its driver of itself. */
const SAID = ['svc_device_registration'] as const;
/** Its own documents; those of its profile stay. */
const MANUALS = ['svc_manual_page', 'svc_manual'] as const;
type DeviceTable =
  | (typeof PART_CONFIGS)[number]
  | (typeof IDENTITY)[number]
  | (typeof SAID)[number]
  | (typeof MANUALS)[number]
  | 'svc_point_latest';

async function deleteOf(
  q: Queries,
  tenantId: string,
  deviceId: string,
  tables: readonly DeviceTable[],
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

const driverCodeOf = async (q: Queries, tenantId: string, driverId: string): Promise<string> =>
  (await rowOf(q, 'svc_driver', tenantId, driverId)).driverCode;

export const byId: Operation<ById, Device> = byIdIn('svc_device', Device.of);

/** Ids that are missing or another tenant's are dropped (docs/specification/tenant-isolation.md 3). */
export const byIds: Operation<ByIds, Record<string, Device>> = (app, { tenantId }, { ids }) =>
  inOneTrip(app.db, tenantId, async (q) =>
    byKey((await rowsOf(q, 'svc_device', tenantId, ids)).map(Device.of)),
  );

/** The newest 1,000 devices of a profile. */
export async function devicesOf(
  q: Queries,
  tenantId: string,
  profileId: string | SelectQueryBuilder<Schema, 'svc_point', { profileId: string }>,
): Promise<Device[]> {
  const rows = await q
    .selectFrom('svc_device')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('profileId', '=', profileId)
    .orderBy('id', 'desc')
    .limit(MAX_LIST)
    .execute();
  return rows.map(Device.of);
}

/** At most 1,000 devices; `page` reaches the rest. */
export const byProfile: Operation<OfProfile, Device[]> = (app, { tenantId }, { profileId }) =>
  inOneTrip(app.db, tenantId, (q) => devicesOf(q, tenantId, profileId));

export const countByDriver: Operation<OfDriver, number> = (app, { tenantId }, { driverId }) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const counted = q
      .selectFrom('svc_device')
      .select((eb) => eb.fn.countAll<string>().as('total'))
      .where('tenantId', '=', tenantId)
      .where('driverId', '=', driverId);
    const [, { total }] = await Promise.all([
      rowOf(q, 'svc_driver', tenantId, driverId),
      counted.executeTakeFirstOrThrow(),
    ]);
    return Number(total);
  });

/** The devices of a list in its order, by default newest first; `now` (ms since the epoch) decides what is online. */
export function devicesIn(q: Queries, tenantId: string, given: DeviceQuery, now: number) {
  let query = narrowed(
    q.selectFrom('svc_device').selectAll('svc_device').where('tenantId', '=', tenantId),
    given,
    { like: ['deviceName', 'deviceCode'], equal: ['driverId', 'profileId', 'enableFlag'] },
  );
  for (const ids of members(q, tenantId, EntityType.DEVICE, given))
    query = query.where('id', 'in', ids);
  if (given.situation !== undefined) {
    const { ids, isIn } = devicesThat(q, tenantId, given.situation, now);
    query = query.where('id', isIn ? 'in' : 'not in', ids);
  }
  return inOrder(query, given.orderBy);
}

export const page: Operation<DeviceQuery, Paged<Device>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, (q) => {
    const listed = devicesIn(q, tenantId, given, app.clock.now());
    const total = listTotal(listed, { q, tenantId, table: 'svc_device', given });
    return pageOf(listed, given.page, Device.of, {
      total,
      rows: onIndexedPage,
    });
  });
