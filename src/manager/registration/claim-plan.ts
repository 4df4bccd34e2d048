import type { Queries } from '../../db/connect.ts';
import { hold } from '../../kernel/entity/row.ts';
import { Conflict, NotFound, Unprocessable } from '../../kernel/errors.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { holdGroup } from '../device/group-bind.ts';
import { attributesOf } from '../driver/attribute.ts';
import { isIdentity } from '../driver/endpoint-claim.ts';
import { EntityType } from '../entity/entity-type.ts';

/** A waiting endpoint, as far as a claim needs it. */
type Waits = { driverCode: string; endpoint: string; keyDeviceId: string };

/** Of the device that is to get the endpoint: a present one, or a new one and the profile for it. */
export type ClaimTarget = {
  deviceId?: string | undefined;
  deviceName?: string | undefined;
  profileId?: string | undefined;
  groupId?: string | undefined;
};

type Named = { id: string; name: string };

/** What a claim makes of a waiting endpoint. */
export type ClaimPlan = {
  driver: Named;
  attributeId: string;
  /** Null: a new device of `deviceName`. `endpoint`: the name that it registers with by now, null without one. */
  device: (Named & { endpoint: string | null; configId: string | null }) | null;
  deviceName: string;
  /** Of a new device; null: a new profile without points. */
  profile: Named | null;
  /** Where the device is to be; null: where it is. */
  group: ClaimGroup | null;
};

/** A group, and the membership of a present device in it or in another one, which it leaves. */
type ClaimGroup = Named & { before: (Named & { bindId: string }) | null };

/**
 * What a claim would make of an endpoint; its rows stay until the transaction ends. Throws NotFound for what is not of the
 * tenant; Unprocessable for a device that cannot have it; Conflict for an endpoint that a device of the tenant has.
 */
export async function planClaim(
  q: Queries,
  tenantId: string,
  row: Waits,
  given: ClaimTarget,
): Promise<ClaimPlan> {
  await demandFree(q, tenantId, row);
  const deviceId = presentOf(row, given);
  const plan =
    deviceId === null
      ? await planNew(q, tenantId, row, given)
      : await planPresent(q, tenantId, row, deviceId);
  const { groupId } = given;
  const group = groupId === undefined ? null : await groupOf(q, tenantId, { groupId, deviceId });
  return { ...plan, group };
}

type PlanOfDevice = Omit<ClaimPlan, 'group'>;

async function planPresent(
  q: Queries,
  tenantId: string,
  { driverCode }: Waits,
  deviceId: string,
): Promise<PlanOfDevice> {
  const { deviceName, driverId } = await hold(q, 'svc_device', tenantId, deviceId);
  const driver = await hold(q, 'svc_driver', tenantId, driverId);
  const attributeId = await identityOf(q, tenantId, driverId);
  if (driver.driverCode !== driverCode || attributeId === null)
    throw new Unprocessable('The device is of another driver than the endpoint');
  const present = await q
    .selectFrom('svc_driver_attribute_config')
    .select(['id', 'configValue'])
    .where('tenantId', '=', tenantId)
    .where('deviceId', '=', deviceId)
    .where('attributeId', '=', attributeId)
    .executeTakeFirst();
  const before = { endpoint: present?.configValue || null, configId: present?.id ?? null };
  return {
    driver: { id: driverId, name: driver.driverName },
    attributeId,
    device: { id: deviceId, name: deviceName, ...before },
    deviceName,
    profile: null,
  };
}

/** The id of the present device that gets the endpoint; null for a new one. */
function presentOf(
  { keyDeviceId }: Waits,
  { deviceId, deviceName, profileId }: ClaimTarget,
): string | null {
  const isProven = keyDeviceId !== '0';
  if (isProven && (deviceName !== undefined || (deviceId ?? keyDeviceId) !== keyDeviceId))
    throw new Unprocessable('The endpoint proved the key of a device: that one gets it');
  if (!isProven && (deviceId === undefined) === (deviceName === undefined))
    throw new Unprocessable('Give either deviceId or deviceName');
  if (deviceName !== undefined) return null;
  if (profileId !== undefined)
    throw new Unprocessable('profileId is of a new device: the present one keeps its profile');
  return isProven ? keyDeviceId : (deviceId ?? null);
}

async function planNew(
  q: Queries,
  tenantId: string,
  { driverCode }: Waits,
  { deviceName = '', profileId }: ClaimTarget,
): Promise<PlanOfDevice> {
  const driver = await q
    .selectFrom('svc_driver')
    .select(['id', 'driverName as name'])
    .where('tenantId', '=', tenantId)
    .where('driverCode', '=', driverCode)
    .executeTakeFirst();
  if (!driver) throw new NotFound('Driver');
  const attributeId = await identityOf(q, tenantId, driver.id);
  if (attributeId === null) throw new Unprocessable('Devices of this driver have no endpoint');
  const profile =
    profileId === undefined ? null : await hold(q, 'svc_profile', tenantId, profileId);
  return {
    driver,
    attributeId,
    device: null,
    deviceName,
    profile: profile && { id: profile.id, name: profile.profileName },
  };
}

async function groupOf(
  q: Queries,
  tenantId: string,
  { groupId, deviceId }: { groupId: string; deviceId: string | null },
): Promise<ClaimGroup> {
  const { id, groupName: name } = await holdGroup(q, tenantId, {
    groupId,
    type: EntityType.DEVICE,
  });
  if (deviceId === null) return { id, name, before: null };
  const before = await q
    .selectFrom('svc_group_bind as b')
    .innerJoin('svc_group as g', (join) =>
      join.onRef('g.id', '=', 'b.groupId').onRef('g.tenantId', '=', 'b.tenantId'),
    )
    .select(['g.id', 'g.groupName as name', 'b.id as bindId'])
    .where('b.tenantId', '=', tenantId)
    .where('b.entityTypeFlag', '=', EntityType.DEVICE)
    .where('b.entityId', '=', deviceId)
    .executeTakeFirst();
  return { id, name, before: before ?? null };
}

const identityOf = async (q: Queries, tenantId: string, driverId: string): Promise<string | null> =>
  (await attributesOf(q, 'driver', tenantId, driverId)).find(isIdentity)?.id ?? null;

/** Throws Conflict for an endpoint that is one of a device of the tenant; those of others show when it is claimed. */
async function demandFree(
  q: Queries,
  tenantId: string,
  { driverCode, endpoint }: Waits,
): Promise<void> {
  const taken = await q
    .selectFrom('svc_endpoint_claim as k')
    .innerJoin('svc_device as d', (join) =>
      join.onRef('d.id', '=', 'k.deviceId').onRef('d.tenantId', '=', 'k.tenantId'),
    )
    .select('d.deviceName')
    .where('k.tenantId', '=', tenantId)
    .where('k.driverCode', '=', driverCode)
    .where('k.endpoint', '=', endpoint)
    .executeTakeFirst();
  if (taken)
    throw new Conflict(
      `${quoted(endpoint)} is the endpoint of ${quoted(taken.deviceName)} already`,
    );
}

/** Throws Conflict where a new device would have the name of another one, or its new profile that of another. */
export async function demandNewNames(
  q: Queries,
  tenantId: string,
  { device, deviceName, profile }: ClaimPlan,
): Promise<void> {
  if (device !== null) return;
  const [named, profiled] = await Promise.all([
    q
      .selectFrom('svc_device')
      .select('id')
      .where('tenantId', '=', tenantId)
      .where('deviceName', '=', deviceName)
      .executeTakeFirst(),
    profile === null &&
      q
        .selectFrom('svc_profile')
        .select('id')
        .where('tenantId', '=', tenantId)
        .where('profileName', '=', deviceName)
        .executeTakeFirst(),
  ]);
  if (named) throw new Conflict('The device name is already taken');
  if (profiled)
    throw new Conflict(
      'A profile has this name already: name it as profileId, or the device otherwise',
    );
}
