import { randomUUID } from 'node:crypto';

import type { z } from 'zod';

import { demand } from '../../auth/permission/permission.ts';
import type { Queries } from '../../db/connect.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { addRow } from '../../kernel/entity/change.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Name } from '../../kernel/input/text.ts';
import * as memberships from '../device/group-bind.ts';
import { changesOf } from '../driver/attribute-config-change.ts';
import { tellDrivers } from '../driver/driver-updates.ts';
import { EntityType } from '../entity/entity-type.ts';
import { type ClaimPlan, type ClaimTarget, planClaim } from './claim-plan.ts';
import { claimable } from './waiting.ts';

export const claimTarget = {
  deviceId: Id.optional().describe('A device that gets the endpoint; without: a new one'),
  deviceName: Name.optional().describe('Of the new device'),
  profileId: Id.optional().describe('Of the new device; without: a new one without points'),
  groupId: Id.optional().describe(
    'A group that the device is put into; without: it stays where it is',
  ),
};
export const ClaimWaiting = input({ id: Id, ...claimTarget });
type ClaimWaiting = z.infer<typeof ClaimWaiting>;

const configs = changesOf('driver');
const CENTER = 'svc-center-manager';

/**
 * Makes a waiting endpoint the endpoint of a device: of the one whose key it proved, of the one that is given, or of a
 * new one, in a group if one is given. From then on its driver serves it. Answers the id of the device. Throws NotFound;
 * Forbidden without the right to change what is in groups; Unprocessable for a device that cannot have it; Conflict for an endpoint or a name that is taken.
 */
export const claim: Operation<ClaimWaiting, string> = async (app, caller, { id, ...given }) => {
  const { tenantId } = caller;
  demandConfigs(caller);
  const deviceId = await inTenant(app.db, tenantId, async (q) =>
    claimIn(app, q, caller, { row: await claimable(q, caller, id), given }),
  );
  await tellDrivers(app, tenantId, { deviceId });
  return deviceId;
};

function demandConfigs(caller: Caller): void {
  for (const verb of ['add', 'update']) demand(caller, `${CENTER}:driver_attribute_config:${verb}`);
}

type Row = Awaited<ReturnType<typeof claimable>>;

/** The same in a transaction of more, of a locked row; its driver is to be notified after the commit. */
export function claimIn(
  app: App,
  q: Queries,
  caller: Caller,
  { row, given }: { row: Row; given: ClaimTarget },
): Promise<string> {
  const { tenantId } = caller;
  demandConfigs(caller);
  const claiming = async (): Promise<string> => {
    const plan = await planClaim(q, tenantId, row, given);
    const deviceId = plan.device?.id ?? (await addDevice(q, app, caller, plan));
    await configure(q, app, caller, { deviceId, plan, endpoint: row.endpoint });
    await putIntoGroup(q, app, caller, { deviceId, plan });
    await q
      .deleteFrom('svc_waiting_endpoint')
      .where('tenantId', '=', tenantId)
      .where('id', '=', row.id)
      .execute();
    return deviceId;
  };
  return conflictIfTaken('device', claiming());
}

async function addDevice(
  q: Queries,
  app: App,
  caller: Caller,
  { deviceName, driver, profile }: ClaimPlan,
): Promise<string> {
  demand(caller, `${CENTER}:device:add`);
  if (profile === null) demand(caller, `${CENTER}:profile:add`);
  const empty = { profileName: deviceName, profileCode: randomUUID() };
  return addRow(q, app, caller, 'svc_device', {
    deviceName,
    deviceCode: randomUUID(),
    driverId: driver.id,
    profileId: profile?.id ?? (await addRow(q, app, caller, 'svc_profile', empty)),
  });
}

/** Sets the endpoint of the device, which claims the name. */
async function configure(
  q: Queries,
  app: App,
  caller: Caller,
  { deviceId, plan, endpoint }: { deviceId: string; plan: ClaimPlan; endpoint: string },
): Promise<void> {
  const { attributeId, device } = plan;
  const present = device?.configId ?? null;
  if (present !== null)
    await configs.updateIn(q, app, caller, {
      id: present,
      configValue: endpoint,
      enableFlag: 0,
      version: undefined,
    });
  else await configs.addIn(q, app, caller, { attributeId, deviceId, configValue: endpoint });
}

/** Puts the device into the group of the plan, out of the one that it is in. */
async function putIntoGroup(
  q: Queries,
  app: App,
  caller: Caller,
  { deviceId: entityId, plan: { group } }: { deviceId: string; plan: ClaimPlan },
): Promise<void> {
  if (group === null) return;
  const { id: groupId, before } = group;
  if (before?.id === groupId) return;
  demand(caller, `${CENTER}:group_bind:${before === null ? 'add' : 'update'}`);
  const place = { groupId, remark: undefined };
  if (before === null)
    await memberships.addIn(q, app, caller, {
      ...place,
      entityTypeFlag: EntityType.DEVICE,
      entityId,
    });
  else
    await memberships.updateIn(q, app, caller, { ...place, id: before.bindId, version: undefined });
}
