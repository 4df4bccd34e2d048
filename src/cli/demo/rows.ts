import type { Queries } from '../../db/connect.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { addRow } from '../../kernel/entity/change.ts';
import { EntityType } from '../../manager/entity/entity-type.ts';
import { RwFlag, ValueType } from '../../manager/entity/value-type.ts';
import { plant, type PlantDevice } from './plant.ts';

/** In the transaction that makes the whole plant. */
export type Making = { app: App; q: Queries; caller: Caller };
/** The driver that serves the plant; its point attributes by code. */
export type PlantDriver = { driverId: string; attributes: ReadonlyMap<string, string> };
/** A device of the plant with its id, and the ids of its points by name. */
export type Added = { device: PlantDevice; deviceId: string; points: ReadonlyMap<string, string> };

const REMARK = 'Made up for the demo';
const entityTypeFlag = EntityType.DEVICE;

/** Adds the profiles and devices with their configs, in a group and with a label that says what they are. */
export async function addPlant(making: Making, driver: PlantDriver): Promise<Added[]> {
  const { app, q, caller } = making;
  const groupId = await addRow(q, app, caller, 'svc_group', {
    groupName: 'Boiler house',
    groupCode: 'demo-boiler-house',
    entityTypeFlag,
    remark: REMARK,
  });
  const labelId = await addRow(q, app, caller, 'svc_label', {
    labelName: 'demo',
    labelCode: 'demo',
    entityTypeFlag,
    remark: REMARK,
  });
  const profiles = new Map<string, Profile>();
  const added: Added[] = [];
  for (const device of plant) {
    const profile = profiles.get(device.profileName) ?? (await addProfile(making, device));
    profiles.set(device.profileName, profile);
    const deviceId = await addDevice(making, device, { ...driver, ...profile });
    const entity = { entityTypeFlag, entityId: deviceId };
    await addRow(q, app, caller, 'svc_group_bind', { ...entity, groupId });
    await addRow(q, app, caller, 'svc_label_bind', { ...entity, labelId });
    added.push({ device, deviceId, points: profile.points });
  }
  return added;
}

type Profile = { profileId: string; points: ReadonlyMap<string, string> };

async function addProfile(
  { app, q, caller }: Making,
  { profileName, points }: PlantDevice,
): Promise<Profile> {
  const profileCode = `demo-${profileName.toLowerCase().replaceAll(' ', '-')}`;
  const profile = { profileName, profileCode, remark: REMARK };
  const profileId = await addRow(q, app, caller, 'svc_profile', profile);
  const ids = new Map<string, string>();
  for (const { pointName, pointCode, unit, limits } of points) {
    const id = await addRow(q, app, caller, 'svc_point', {
      profileId,
      pointName,
      pointCode,
      unit,
      pointTypeFlag: ValueType.DOUBLE,
      rwFlag: limits ? RwFlag.READ_WRITE : RwFlag.READ_ONLY,
      minValue: limits?.[0] ?? null,
      maxValue: limits?.[1] ?? null,
      valueDecimal: 2,
      remark: REMARK,
    });
    ids.set(pointName, id);
  }
  return { profileId, points: ids };
}

async function addDevice(
  { app, q, caller }: Making,
  { deviceName, deviceCode, points }: PlantDevice,
  { driverId, attributes, profileId, points: ids }: PlantDriver & Profile,
): Promise<string> {
  const device = { deviceName, deviceCode, driverId, profileId, remark: REMARK };
  const deviceId = await addRow(q, app, caller, 'svc_device', device);
  for (const { pointName, configs } of points)
    for (const [code, configValue] of Object.entries(configs)) {
      const [attributeId, pointId] = [attributes.get(code), ids.get(pointName)];
      if (attributeId === undefined || pointId === undefined)
        throw new Error(`the virtual driver has no ${code} for ${pointName}`);
      const config = { attributeId, deviceId, pointId, configValue };
      await addRow(q, app, caller, 'svc_point_attribute_config', config);
    }
  return deviceId;
}
