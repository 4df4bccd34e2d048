import { setTimeout as sleep } from 'node:timers/promises';

import { z } from 'zod';

import type { App } from '../../kernel/app/app.ts';
import { type Api, openApi } from './api.ts';
import { benchDevices, type DemoDevice } from './bench.ts';

const DRIVER_WAIT_MS = 15_000;
const Attributes = z.array(z.object({ id: z.string(), attributeCode: z.string() }));

/**
 * Onboards the devices of the bench, or those of them that are named, through the platform's endpoints; existing
 * records stay unchanged, and the onboarding of an interrupted start is completed.
 */
export async function seedBench(app: App, names?: readonly string[]): Promise<void> {
  const api = await openApi(app);
  for (const device of benchDevices.filter((one) => names?.includes(one.deviceName) ?? true))
    if (!(await isOnboarded(api, device))) await onboard(api, device);
}

/** Point configs are added last: when all are there, the onboarding is complete. */
async function isOnboarded(api: Api, { deviceName, points }: DemoDevice): Promise<boolean> {
  const found = await api.find('/device/list', { deviceName });
  if (found === null) return false;
  const path = '/point_attribute_config/list_by_device_id';
  const configs = z.array(z.unknown()).parse(await api.run('manager', path, { device_id: found }));
  return configs.length >= points.flatMap((point) => Object.keys(point.configs)).length;
}

async function onboard(api: Api, device: DemoDevice): Promise<void> {
  const driverId = await registeredDriver(api, device.driverCode);
  const { profileName, profileCode, deviceName, deviceCode } = device;
  const profileId = await api.ensured('profile', { profileName }, { profileCode });
  const points = new Map<string, string>();
  for (const { configs: _, pointName, ...rest } of device.points)
    points.set(pointName, await api.ensured('point', { pointName, profileId }, rest));
  for (const { commandName, ...rest } of device.commands)
    await api.ensured('command', { commandName, profileId }, rest);
  for (const { eventName, ...rest } of device.events)
    await api.ensured('event', { eventName, profileId }, rest);
  const rest = { deviceCode, driverId, profileId };
  const deviceId = await api.ensured('device', { deviceName }, rest);
  const driverAttributes = await attributesOf(api, 'driver', driverId);
  for (const [code, configValue] of Object.entries(device.configs)) {
    const config = { attributeId: driverAttributes.get(code), deviceId, configValue };
    await api.added('driver_attribute_config', config);
  }
  const pointAttributes = await attributesOf(api, 'point', driverId);
  for (const { configs, pointName } of device.points)
    for (const [code, configValue] of Object.entries(configs)) {
      const owner = { attributeId: pointAttributes.get(code), pointId: points.get(pointName) };
      await api.added('point_attribute_config', { ...owner, deviceId, configValue });
    }
}

/** The attributes of a driver: code → id. */
export async function attributesOf(
  api: Api,
  kind: 'driver' | 'point',
  driverId: string,
): Promise<Map<string, string>> {
  const path = `/${kind}_attribute/list_by_driver_id`;
  const rows = Attributes.parse(await api.run('manager', path, { driver_id: driverId }));
  return new Map(rows.map((row) => [row.attributeCode, row.id]));
}

/** The id of a driver, which registers over the bus at about the same time; throws when it does not in time. */
export async function registeredDriver(api: Api, driverCode: string): Promise<string> {
  for (let waited = 0; waited < DRIVER_WAIT_MS; waited += 100) {
    const [driver] = await api.list('/driver/list', { driverCode });
    if (driver) return driver.id;
    await sleep(100);
  }
  throw new Error(`the driver ${driverCode} did not register`);
}
