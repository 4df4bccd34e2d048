import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import { demand } from '../../auth/permission/permission.ts';
import type { Queries } from '../../db/connect.ts';
import { created } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { AnswerId } from '../../kernel/entity/answer.ts';
import { addRow, changeRow } from '../../kernel/entity/change.ts';
import { lockedRow } from '../../kernel/entity/row.ts';
import { Conflict, Unprocessable } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Name } from '../../kernel/input/text.ts';
import { updateIn } from '../device/device.ts';
import { attributesOf, checkConfig } from '../driver/attribute.ts';
import { tellDrivers } from '../driver/driver-updates.ts';
import { RwFlag, ValueType } from '../entity/value-type.ts';
import { chosen, presentProfile, proposalFor } from './proposal.ts';
import type { ProposedPoint } from './proposed-point.ts';

export const MakeProfile = input({
  deviceId: Id,
  ...chosen,
  profileName: Name.optional().describe(
    'Without: the name of the present profile where that takes the points, else of the device',
  ),
});
type MakeProfile = z.infer<typeof MakeProfile>;

export const ProfileMade = z.object({
  profileId: AnswerId,
  pointIds: z.array(AnswerId).describe('In the order of the proposal'),
});
type ProfileMade = z.output<typeof ProfileMade>;

/** What a caller must be allowed to do one by one. */
const NEEDS = ['profile:add', 'point:add', 'point_attribute_config:add', 'device:update'] as const;

/**
 * Makes the proposed profile with its points, gives it to the device, and sets where each point is on it: all of it or
 * nothing. A profile that no other device has takes the points itself. Throws Forbidden, NotFound; Unprocessable where nothing is to be made; Conflict for a name that is
 * taken and, without `replace`, for a device whose profile has points and other devices.
 */
export const makeProfile: Operation<MakeProfile, ProfileMade> = async (app, caller, given) => {
  for (const need of NEEDS) demand(caller, `svc-center-manager:${need}`);
  const { tenantId } = caller;
  const making = inTenant(app.db, tenantId, (q) => makeIn(q, app, caller, given));
  const made = await conflictIfTaken('profile', making);
  await tellDrivers(app, tenantId, { deviceId: given.deviceId });
  return made;
};

async function makeIn(
  q: Queries,
  app: App,
  caller: Caller,
  given: MakeProfile,
): Promise<ProfileMade> {
  const { tenantId } = caller;
  const { deviceId: id } = given;
  const device = await lockedRow(q, 'svc_device', tenantId, id);
  const { points } = await proposalFor(q, tenantId, given);
  if (points.length === 0)
    throw new Unprocessable('The device registered nothing for which a point is proposed');
  const profileId = await profileFor(q, app, caller, device, given);
  const adding = q
    .insertInto('svc_point')
    .values(
      points.map(({ path: _path, attributes: _attributes, ...point }) => ({
        ...point,
        pointTypeFlag: ValueType[point.pointTypeFlag],
        rwFlag: RwFlag[point.rwFlag],
        profileId,
        tenantId,
        ...created(app, caller),
      })),
    )
    .returning(['id', 'pointCode'])
    .execute();
  const rows = await conflictIfTaken('point', adding);
  const ids = new Map(rows.map((row) => [row.pointCode, row.id]));
  if (profileId !== device.profileId) await updateIn(q, app, caller, { id, profileId });
  const made = points.map((point) => ({ ...point, id: ids.get(point.pointCode) ?? '' }));
  await configure(q, app, caller, device, made);
  return { profileId, pointIds: made.map((point) => point.id) };
}

/** The profile that gets the points: the present one while no other device has it, else a new one. */
async function profileFor(
  q: Queries,
  app: App,
  caller: Caller,
  device: { id: string; deviceName: string; profileId: string },
  { profileName, replace = false }: MakeProfile,
): Promise<string> {
  const { tenantId } = caller;
  await lockedRow(q, 'svc_profile', tenantId, device.profileId);
  const present = await presentProfile(q, tenantId, device.id);
  if (present?.isOwn && !(replace && present.hasPoints)) {
    if (profileName !== undefined && profileName !== present.profileName)
      await changeRow(q, app, caller, 'svc_profile', { id: present.id, profileName });
    return present.id;
  }
  if (present?.hasPoints && !replace)
    throw new Conflict(
      'The profile of the device has points and other devices: with replace the device leaves it',
    );
  return addRow(q, app, caller, 'svc_profile', {
    profileName: profileName ?? device.deviceName,
    profileCode: randomUUID(),
  });
}

/** Sets where each point is on the device, but for what is as the driver says anyway. */
async function configure(
  q: Queries,
  app: App,
  caller: Caller,
  { id: deviceId, driverId }: { id: string; driverId: string },
  points: readonly (ProposedPoint & { id: string })[],
): Promise<void> {
  const { tenantId } = caller;
  const attributes = await attributesOf(q, 'point', tenantId, driverId);
  const byCode = new Map(attributes.map((attribute) => [attribute.attributeCode, attribute]));
  const configs = points.flatMap((point) =>
    Object.entries(point.attributes).flatMap(([code, configValue]) => {
      const attribute = byCode.get(code);
      if (!attribute)
        throw new Unprocessable(`The driver of the device has no attribute ${code} for points`);
      if (attribute.defaultValue === configValue) return [];
      checkConfig(attribute, driverId, configValue);
      const at = { attributeId: attribute.id, deviceId, pointId: point.id };
      return { ...at, configValue, tenantId, ...created(app, caller) };
    }),
  );
  if (configs.length > 0)
    await q.insertInto('svc_point_attribute_config').values(configs).execute();
}
