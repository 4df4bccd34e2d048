import type { Session } from '../people/session.ts';
import { Attributes, Id, Records } from '../people/shapes.ts';
import type { World } from '../world/app.ts';
import { fresh } from '../world/fresh-name.ts';

export type Plant = {
  driverId: string;
  profileId: string;
  deviceId: string;
  /** DOUBLE, READ_ONLY, °C. */
  temperature: string;
  /** DOUBLE, READ_WRITE, limits 5 to 30, one decimal; a set-point that keeps what is written. */
  target: string;
};

export async function add(session: Session, path: string, body: object): Promise<string> {
  return Id.parse(await session.data(`/api/v3/manager/${path}/add`, body));
}

export async function virtualDriver(session: Session): Promise<string> {
  const found = await session.data('/api/v3/manager/driver/list', { driverCode: 'VirtualDriver' });
  return Id.parse(Records.parse(found).records[0]?.id);
}

/** Attribute ids by code, of what a driver declares for points. */
export async function pointAttributes(
  session: Session,
  driverId: string,
): Promise<Map<string, string>> {
  const rows = await session.data('/api/v3/manager/point_attribute/list_by_driver_id', undefined, {
    driver_id: driverId,
  });
  return new Map(Attributes.parse(rows).map(({ attributeCode, id }) => [attributeCode, id]));
}

/** A room with a thermostat on the virtual driver, onboarded through the API. */
export async function onboard(session: Session): Promise<Plant> {
  const driverId = await virtualDriver(session);
  const profileId = await add(session, 'profile', { profileName: fresh('room') });
  const temperature = await add(session, 'point', {
    pointName: 'temperature',
    pointTypeFlag: 'DOUBLE',
    rwFlag: 'READ_ONLY',
    unit: '°C',
    profileId,
  });
  const target = await add(session, 'point', {
    pointName: 'target',
    pointTypeFlag: 'DOUBLE',
    rwFlag: 'READ_WRITE',
    valueDecimal: 1,
    minValue: 5,
    maxValue: 30,
    unit: '°C',
    profileId,
  });
  const deviceId = await add(session, 'device', {
    deviceName: fresh('thermostat'),
    driverId,
    profileId,
  });
  const signal = (await pointAttributes(session, driverId)).get('signal');
  await add(session, 'point_attribute_config', {
    deviceId,
    pointId: target,
    attributeId: signal,
    configValue: 'setpoint',
  });
  return { driverId, profileId, deviceId, temperature, target };
}

/** As `onboard`, of a device that the driver of this process does not measure: only the test reports its values. */
export async function onboardQuiet({ bus }: World, session: Session): Promise<Plant> {
  const plant = await onboard(session);
  const driverCode = 'VirtualDriver';
  const { tenantId } = session;
  const removed = { kind: 'removed', driverCode, tenantId, deviceId: plant.deviceId } as const;
  await bus.handled('svc.e.metadata', removed, driverCode);
  return plant;
}
