import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { onPage, totalOf } from '../../db/query-page.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import type { ById } from '../../kernel/input/input.ts';
import { type Page, type Paged, paged } from '../../kernel/input/page.ts';
import { type DeviceQuery, devicesIn } from '../device/device.ts';
import { deviceStatusOf, stateOf, statesOf, Status, statusOf } from '../device/state.ts';
import { Driver, type DriverQuery, driversIn } from '../driver/driver.ts';
import { EntityType } from '../entity/entity-type.ts';
import type { OfDriver, OfProfile } from '../entity/of.ts';
import { withStates } from './presence.ts';

/** Status by id. */
export const Statuses = z.record(z.string(), Status);
type Statuses = z.output<typeof Statuses>;

/** A driver with its present status. */
export type DriverNow = Driver & { status: Status };

const MAX_LIST = 10_000;

/** Drivers of a page, each with what was reported of it. */
const driversWithStates = (
  q: Queries,
  tenantId: string,
  { listed, page, now }: { listed: ReturnType<typeof driversIn>; page: Page; now: number },
) =>
  q
    .selectFrom(onPage(listed, page).as('driver'))
    .leftJoin(
      statesOf(q, tenantId, EntityType.DRIVER, now).as('state'),
      'state.entityId',
      'driver.id',
    )
    .selectAll(['driver', 'state'])
    .orderBy('driver.createTime', 'desc')
    .orderBy('driver.id', 'desc')
    .execute();

type Known<Of extends (state: never) => Status> = { id: string } & NonNullable<Parameters<Of>[0]>;

const devicesById = (rows: readonly Known<typeof deviceStatusOf>[]): Statuses =>
  Object.fromEntries(rows.map((row) => [row.id, deviceStatusOf(row)]));

const driversById = (rows: readonly Known<typeof statusOf>[]): Statuses =>
  Object.fromEntries(rows.map((row) => [row.id, statusOf(row)]));

/** Status by id of the devices on one page of the device list. */
export const devices: Operation<DeviceQuery, Statuses> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const now = app.clock.now();
    const listed = devicesIn(q, tenantId, given, now);
    return devicesById(await withStates(q, tenantId, { listed, page: given.page, now }));
  });

/** Status by id of the drivers on one page of the driver list. */
export const drivers: Operation<DriverQuery, Statuses> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const listed = driversIn(q, tenantId, given);
    const now = app.clock.now();
    return driversById(await driversWithStates(q, tenantId, { listed, page: given.page, now }));
  });

/** A page of the driver list, with status. */
export const driverPage: Operation<DriverQuery, Paged<DriverNow>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const listed = driversIn(q, tenantId, given);
    const [total, rows] = await Promise.all([
      totalOf(listed),
      driversWithStates(q, tenantId, { listed, page: given.page, now: app.clock.now() }),
    ]);
    const shown = rows.map((row) => ({ ...Driver.of(row), status: statusOf(row) }));
    return paged(given.page, total, shown);
  });

/** A driver with its status. Throws NotFound. */
export const driverById: Operation<ById, DriverNow> = (app, { tenantId }, { id }) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const [row, state] = await Promise.all([
      rowOf(q, 'svc_driver', tenantId, id),
      stateOf(q, tenantId, EntityType.DRIVER, id, app.clock.now()),
    ]);
    return { ...Driver.of(row), status: statusOf(state) };
  });

async function statusesWith(
  q: Queries,
  tenantId: string,
  column: 'driverId' | 'profileId',
  id: string,
  now: number,
): Promise<Statuses> {
  const rows = await q
    .selectFrom('svc_device')
    .leftJoin(
      statesOf(q, tenantId, EntityType.DEVICE, now).as('state'),
      'state.entityId',
      'svc_device.id',
    )
    .select(['id', 'entityStateFlag', 'hasLease', 'lastOnlineTime'])
    .where('tenantId', '=', tenantId)
    .where(column, '=', id)
    .orderBy('id')
    .limit(MAX_LIST)
    .execute();
  return devicesById(rows);
}

export const byDriver: Operation<OfDriver, Statuses> = (app, { tenantId }, { driverId }) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const [, statuses] = await Promise.all([
      rowOf(q, 'svc_driver', tenantId, driverId),
      statusesWith(q, tenantId, 'driverId', driverId, app.clock.now()),
    ]);
    return statuses;
  });

export const byProfile: Operation<OfProfile, Statuses> = (app, { tenantId }, { profileId }) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const [, statuses] = await Promise.all([
      rowOf(q, 'svc_profile', tenantId, profileId),
      statusesWith(q, tenantId, 'profileId', profileId, app.clock.now()),
    ]);
    return statuses;
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
