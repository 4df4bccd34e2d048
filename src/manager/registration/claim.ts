import { randomUUID } from 'node:crypto';

import type { z } from 'zod';

import { demand } from '../../auth/permission/permission.ts';
import type { Queries } from '../../db/connect.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { addRow } from '../../kernel/entity/change.ts';
import { hold } from '../../kernel/entity/row.ts';
import { NotFound, Unprocessable } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Name } from '../../kernel/input/text.ts';
import { changesOf } from '../attribute/attribute-config-change.ts';
import { attributesOf } from '../attribute/attribute.ts';
import { isIdentity } from '../attribute/endpoint-claim.ts';
import { tellDrivers } from '../driver/driver-updates.ts';
import { claimable } from './waiting.ts';

export const ClaimWaiting = input({
  id: Id,
  deviceId: Id.optional().describe('A device that gets the endpoint; without: a new one'),
  deviceName: Name.optional().describe('Of the new device'),
  profileId: Id.optional().describe('Of the new device; without: a new one without points'),
});
type ClaimWaiting = z.infer<typeof ClaimWaiting>;

const configs = changesOf('driver');
const CENTER = 'svc-center-manager';

/**
 * Makes a waiting endpoint the endpoint of a device: of the one whose key it proved, of the one that is given, or of a
 * new one. From then on its driver serves it. Answers the id of the device. Throws NotFound; Unprocessable for a
 * device that cannot have it; Conflict for an endpoint or a name that is taken.
 */
export const claim: Operation<ClaimWaiting, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  for (const verb of ['add', 'update']) demand(caller, `${CENTER}:driver_attribute_config:${verb}`);
  const claiming = inTenant(app.db, tenantId, async (q) => {
    const row = await claimable(q, caller, given.id);
    const deviceId = await deviceFor(q, app, caller, given, row);
    await configure(q, app, caller, deviceId, row);
    await q
      .deleteFrom('svc_waiting_endpoint')
      .where('tenantId', '=', tenantId)
      .where('id', '=', row.id)
      .execute();
    return deviceId;
  });
  const deviceId = await conflictIfTaken('device', claiming);
  await tellDrivers(app, tenantId, { deviceId });
  return deviceId;
};

type Row = Awaited<ReturnType<typeof claimable>>;

/** The device that gets the endpoint. */
async function deviceFor(
  q: Queries,
  app: App,
  caller: Caller,
  { deviceId, deviceName, profileId }: ClaimWaiting,
  { keyDeviceId, driverCode }: Row,
): Promise<string> {
  if (keyDeviceId !== '0') {
    if (deviceName !== undefined || (deviceId !== undefined && deviceId !== keyDeviceId))
      throw new Unprocessable('The endpoint proved the key of a device: that one gets it');
    return keyDeviceId;
  }
  if (deviceId !== undefined) return deviceId;
  if (deviceName === undefined) throw new Unprocessable('Give either deviceId or deviceName');
  demand(caller, `${CENTER}:device:add`);
  if (profileId === undefined) demand(caller, `${CENTER}:profile:add`);
  const driver = await q
    .selectFrom('svc_driver')
    .select('id')
    .where('tenantId', '=', caller.tenantId)
    .where('driverCode', '=', driverCode)
    .executeTakeFirst();
  if (!driver) throw new NotFound('Driver');
  if (profileId !== undefined) await hold(q, 'svc_profile', caller.tenantId, profileId);
  const empty = { profileName: deviceName, profileCode: randomUUID() };
  return addRow(q, app, caller, 'svc_device', {
    deviceName,
    deviceCode: randomUUID(),
    driverId: driver.id,
    profileId: profileId ?? (await addRow(q, app, caller, 'svc_profile', empty)),
  });
}

/** Sets the endpoint of the device, which claims the name. */
async function configure(
  q: Queries,
  app: App,
  caller: Caller,
  deviceId: string,
  { driverCode, endpoint }: Row,
): Promise<void> {
  const { tenantId } = caller;
  const { driverId } = await hold(q, 'svc_device', tenantId, deviceId);
  const driver = await hold(q, 'svc_driver', tenantId, driverId);
  const attribute = (await attributesOf(q, 'driver', tenantId, driverId)).find(isIdentity);
  if (driver.driverCode !== driverCode || !attribute)
    throw new Unprocessable('The device is of another driver than the endpoint');
  const present = await q
    .selectFrom('svc_driver_attribute_config')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('deviceId', '=', deviceId)
    .where('attributeId', '=', attribute.id)
    .executeTakeFirst();
  if (present)
    await configs.updateIn(q, app, caller, {
      id: present.id,
      configValue: endpoint,
      enableFlag: 0,
      version: undefined,
    });
  else
    await configs.addIn(q, app, caller, {
      attributeId: attribute.id,
      deviceId,
      configValue: endpoint,
    });
}
