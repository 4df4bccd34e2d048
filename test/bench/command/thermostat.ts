import { add } from '../../support/devices/plant.ts';
import type { Session } from '../../support/people/session.ts';
import { Attributes, Id, Records } from '../../support/people/shapes.ts';

export const ENDPOINT = 'urn:bench:thermostat';

const MANAGER = '/api/v3/manager';

/** The set-point of the simulated LwM2M device, onboarded through the API. */
export async function onboardThermostat(
  admin: Session,
): Promise<{ deviceId: string; pointId: string }> {
  const driverCode = 'Lwm2mDriver';
  const { records } = Records.parse(await admin.data(`${MANAGER}/driver/list`, { driverCode }));
  const driverId = Id.parse(records[0]?.id);
  const profileId = await add(admin, 'profile', { profileName: 'thermostat' });
  const pointId = await add(admin, 'point', {
    pointName: 'set-point',
    pointTypeFlag: 'DOUBLE',
    rwFlag: 'READ_WRITE',
    valueDecimal: 1,
    minValue: 5,
    maxValue: 30,
    unit: '°C',
    profileId,
  });
  const deviceId = await add(admin, 'device', { deviceName: 'thermostat', driverId, profileId });
  const attributeOf = async (kind: 'driver' | 'point', code: string): Promise<string> => {
    const path = `${MANAGER}/${kind}_attribute/list_by_driver_id`;
    const found = Attributes.parse(await admin.data(path, undefined, { driver_id: driverId }));
    return Id.parse(found.find(({ attributeCode }) => attributeCode === code)?.id);
  };
  const attributeId = await attributeOf('driver', 'endpoint');
  await add(admin, 'driver_attribute_config', { attributeId, deviceId, configValue: ENDPOINT });
  for (const [code, configValue] of Object.entries({ objectId: '3308', resourceId: '5900' }))
    await add(admin, 'point_attribute_config', {
      attributeId: await attributeOf('point', code),
      deviceId,
      pointId,
      configValue,
    });
  return { deviceId, pointId };
}
