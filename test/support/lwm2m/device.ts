import { add } from '../devices/plant.ts';
import type { Session } from '../people/session.ts';
import { Attributes, Records } from '../people/shapes.ts';
import { fresh } from '../world/fresh-name.ts';

const MANAGER = '/api/v3/manager';

/** A device of the LwM2M driver, configured over REST with the given values of its attributes. */
export async function lwm2mDevice(
  session: Session,
  configs: Record<string, string>,
  profileId?: string,
): Promise<{ deviceId: string; deviceName: string; driverId: string; profileId: string }> {
  const found = await session.data(`${MANAGER}/driver/list`, { driverCode: 'Lwm2mDriver' });
  const driverId = Records.parse(found).records[0]?.id ?? '';
  const ofDevice = profileId ?? (await add(session, 'profile', { profileName: fresh('empty') }));
  const deviceName = fresh('thing');
  const deviceId = await add(session, 'device', { deviceName, driverId, profileId: ofDevice });
  const path = `${MANAGER}/driver_attribute/list_by_driver_id`;
  const rows = Attributes.parse(await session.data(path, undefined, { driver_id: driverId }));
  for (const [code, configValue] of Object.entries(configs))
    await add(session, 'driver_attribute_config', {
      deviceId,
      attributeId: rows.find(({ attributeCode }) => attributeCode === code)?.id,
      configValue,
    });
  return { deviceId, deviceName, driverId, profileId: ofDevice };
}
