import { z } from 'zod';

import type { Operation } from '../../app.ts';
import { Id } from '../../core/input/id.ts';
import { input } from '../../core/input/input.ts';
import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import { rowOf } from '../../entity/row.ts';
import { type DriverQuery, page as driverPage } from '../driver/driver.ts';
import { heardUntil } from '../driver/listening.ts';
import { EntityType } from '../group/entity-type.ts';
import { type DeviceQuery, page as devicePage } from './device.ts';

/** States of `svc_entity_state`, by the name the bus uses. */
export const EntityState = { ONLINE: 0, OFFLINE: 1, MAINTAIN: 2, FAULT: 3 } as const;

/**
 * docs/specification/objects.md, Status of a device: online while the heartbeat lease is alive; unknown:
 * never reported.
 */
export const Status = z.enum(['online', 'offline', 'unknown']);
export type Status = z.output<typeof Status>;
/** Status by id. */
export const Statuses = z.record(z.string(), Status);
type Statuses = z.output<typeof Statuses>;

const MAX_LIST = 10_000;

async function leases(
  q: Queries,
  tenantId: string,
  entityType: number,
  ids: readonly string[],
  now: number,
): Promise<Map<string, Status>> {
  const statuses = new Map<string, Status>(ids.map((id) => [id, 'unknown']));
  if (ids.length === 0) return statuses;
  const rows = await q
    .selectFrom('svc_entity_state')
    .select(['entityId', 'entityStateFlag'])
    .select((eb) => eb('expireTime', '>', heardUntil(now)).as('hasLease'))
    .where('tenantId', '=', tenantId)
    .where('entityTypeFlag', '=', entityType)
    .where('entityId', 'in', [...ids])
    .execute();
  for (const { entityId, entityStateFlag, hasLease } of rows) {
    const alive = entityStateFlag !== EntityState.OFFLINE && hasLease === true;
    statuses.set(entityId, alive ? 'online' : 'offline');
  }
  return statuses;
}

/** Answers every given id; ids of another tenant are `unknown`, like ids that do not exist. */
export const statusOf = (
  q: Queries,
  tenantId: string,
  deviceIds: readonly string[],
  now: number,
): Promise<Map<string, Status>> => leases(q, tenantId, EntityType.DEVICE, deviceIds, now);

const driverStatusOf = (
  q: Queries,
  tenantId: string,
  driverIds: readonly string[],
  now: number,
): Promise<Map<string, Status>> => leases(q, tenantId, EntityType.DRIVER, driverIds, now);

/** At most 10,000 drivers; ids of another tenant are `unknown`. */
export const ofDrivers: Operation<{ driverIds: readonly string[] }, ReadonlyMap<string, Status>> = (
  app,
  { tenantId },
  { driverIds },
) =>
  inTenant(app.db, tenantId, (q) =>
    driverStatusOf(q, tenantId, driverIds.slice(0, MAX_LIST), app.clock.now()),
  );

/** Status by id of the devices on one page of the device list. */
export const devices: Operation<DeviceQuery, Statuses> = async (app, caller, given) => {
  const { records } = await devicePage(app, caller, given);
  const deviceIds = records.map(({ id }) => id);
  return inTenant(app.db, caller.tenantId, async (q) =>
    Object.fromEntries(await statusOf(q, caller.tenantId, deviceIds, app.clock.now())),
  );
};

/** Status by id of the drivers on one page of the driver list. */
export const drivers: Operation<DriverQuery, Statuses> = async (app, caller, given) => {
  const { records } = await driverPage(app, caller, given);
  const driverIds = records.map(({ id }) => id);
  return Object.fromEntries(await ofDrivers(app, caller, { driverIds }));
};

export const OfDriver = input({ driverId: Id });
type OfDriver = z.infer<typeof OfDriver>;
export const OfProfile = input({ profileId: Id });
type OfProfile = z.infer<typeof OfProfile>;

async function devicesWith(
  q: Queries,
  tenantId: string,
  column: 'driverId' | 'profileId',
  id: string,
): Promise<string[]> {
  const rows = await q
    .selectFrom('svc_device')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where(column, '=', id)
    .orderBy('id')
    .limit(MAX_LIST)
    .execute();
  return rows.map((row) => row.id);
}

export const byDriver: Operation<OfDriver, Statuses> = (app, { tenantId }, { driverId }) =>
  inTenant(app.db, tenantId, async (q) => {
    await rowOf(q, 'svc_driver', tenantId, driverId);
    const ids = await devicesWith(q, tenantId, 'driverId', driverId);
    return Object.fromEntries(await statusOf(q, tenantId, ids, app.clock.now()));
  });

export const byProfile: Operation<OfProfile, Statuses> = (app, { tenantId }, { profileId }) =>
  inTenant(app.db, tenantId, async (q) => {
    await rowOf(q, 'svc_profile', tenantId, profileId);
    const ids = await devicesWith(q, tenantId, 'profileId', profileId);
    return Object.fromEntries(await statusOf(q, tenantId, ids, app.clock.now()));
  });

const count =
  (online: boolean): Operation<OfDriver, number> =>
  async (app, caller, given) => {
    const statuses = Object.values(await byDriver(app, caller, given));
    return statuses.filter((status) => (status === 'online') === online).length;
  };

export const onlineCount = count(true);
/** Devices that are not online, including those that never reported. */
export const offlineCount = count(false);
