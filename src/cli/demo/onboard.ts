import { setTimeout as sleep } from 'node:timers/promises';

import { z } from 'zod';

import type { App, Caller } from '../app.ts';
import { ConfigError } from '../core/config.ts';
import { Conflict } from '../core/errors.ts';
import { acrossTenants } from '../db/tenant.ts';
import { centers } from '../gateway/centers.ts';
import { NO_COOKIES } from '../route.ts';
import { type DemoDevice, demoDevices } from './demo-data.ts';
import type { Composition } from './index.ts';

const DRIVER_WAIT_MS = 15_000;
const Records = z.object({ records: z.array(z.looseObject({ id: z.string() })) });
const Attributes = z.array(z.object({ id: z.string(), attributeCode: z.string() }));

/** Runs a route of the platform with the rights of the demo tenant's admin. */
type Api = (center: keyof typeof centers, path: string, input: object) => Promise<unknown>;

/**
 * `svc demo [names]`: onboards all demo devices, or the named ones, on a platform that is split into
 * processes; a platform in one process does so at its start.
 */
export async function demoCommand(
  { createApp, readSettings }: Composition,
  names: readonly string[],
): Promise<void> {
  const config = readSettings();
  if (config.bus.amqpUrl === null)
    throw new ConfigError(
      'AMQP_URL is required: a platform in one process brings the demo devices itself (SVC_DEMO=on)',
    );
  const known = demoDevices.map(({ deviceName }) => deviceName);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new ConfigError(`there is no demo device ${unknown.join(', ')}, but ${known.join(', ')}`);
  const wanted = names.length > 0 ? names : known;
  const app = await createApp(config);
  try {
    await seedDemo(app, wanted);
  } finally {
    await app.bus.close();
    await app.db.close();
  }
  process.stdout.write(`Onboarded: ${wanted.join(', ')}\n`);
}

/**
 * Onboards the demo devices through the platform's endpoints; existing records stay unchanged, and the
 * onboarding of an interrupted start is completed.
 */
export async function seedDemo(app: App, names?: readonly string[]): Promise<void> {
  const caller = await demoCaller(app);
  const api: Api = (center, path, input) => {
    const route = centers[center].find((row) => row.path === path);
    if (!route) throw new Error(`there is no ${center}${path}`);
    return route.run(app, caller, input, NO_COOKIES);
  };
  for (const device of demoDevices.filter((one) => names?.includes(one.deviceName) ?? true))
    if (!(await isOnboarded(api, device))) await onboard(api, device);
}

/** Point configs are added last: when all are there, the onboarding is complete. */
async function isOnboarded(api: Api, { deviceName, points }: DemoDevice): Promise<boolean> {
  const found = await find(api, '/device/list', { deviceName });
  if (found === null) return false;
  const path = '/point_attribute_config/list_by_device_id';
  const configs = z.array(z.unknown()).parse(await api('manager', path, { device_id: found }));
  return configs.length >= points.flatMap((point) => Object.keys(point.configs)).length;
}

async function demoCaller(app: App): Promise<Caller> {
  const owner = await acrossTenants(app.db, 'seed', (q) =>
    q
      .selectFrom('svc_tenant')
      .innerJoin('svc_tenant_membership', 'svc_tenant_membership.tenantId', 'svc_tenant.id')
      .select(['svc_tenant.id as tenantId', 'svc_tenant_membership.principalId'])
      .where('svc_tenant.tenantCode', '=', 'default')
      .where('svc_tenant_membership.principalType', '=', 'USER')
      .orderBy('svc_tenant_membership.id')
      .executeTakeFirstOrThrow(),
  );
  return {
    ...owner,
    principalType: 'SYSTEM',
    name: 'demo',
    via: 'system',
    permissions: new Set(['*']),
  };
}

async function onboard(api: Api, device: DemoDevice): Promise<void> {
  const driverId = await registeredDriver(api, device.driverCode);
  const attributes = async (kind: 'driver' | 'point'): Promise<Map<string, string>> => {
    const rows = await api('manager', `/${kind}_attribute/list_by_driver_id`, {
      driver_id: driverId,
    });
    return new Map(Attributes.parse(rows).map((row) => [row.attributeCode, row.id]));
  };
  const { profileName, deviceName } = device;
  const profileId = await ensured(api, 'profile', { profileName }, { profileCode: profileName });
  const points = new Map<string, string>();
  for (const { configs: _, pointName, ...point } of device.points) {
    const rest = { ...point, pointCode: pointName };
    points.set(pointName, await ensured(api, 'point', { pointName, profileId }, rest));
  }
  for (const { commandName, ...rest } of device.commands)
    await ensured(api, 'command', { commandName, profileId }, rest);
  for (const { eventName, ...rest } of device.events)
    await ensured(api, 'event', { eventName, profileId }, rest);
  const rest = { deviceCode: deviceName, driverId, profileId };
  const deviceId = await ensured(api, 'device', { deviceName }, rest);
  const driverAttributes = await attributes('driver');
  for (const [code, configValue] of Object.entries(device.configs)) {
    const config = { attributeId: driverAttributes.get(code), deviceId, configValue };
    await added(api, 'driver_attribute_config', config);
  }
  const pointAttributes = await attributes('point');
  for (const { configs, pointName } of device.points)
    for (const [code, configValue] of Object.entries(configs)) {
      const owner = { attributeId: pointAttributes.get(code), pointId: points.get(pointName) };
      await added(api, 'point_attribute_config', { ...owner, deviceId, configValue });
    }
}

/** The id of the record with exactly these values; null if there is none. */
async function find(api: Api, path: string, key: Record<string, string>): Promise<string | null> {
  const { records } = Records.parse(await api('manager', path, key));
  const same = records.find((row) => Object.entries(key).every(([name, is]) => row[name] === is));
  return same?.id ?? null;
}

/** Adds a record unless one has this key; returns its id either way. */
async function ensured(
  api: Api,
  noun: string,
  key: Record<string, string>,
  rest: object,
): Promise<string> {
  const known = await find(api, `/${noun}/list`, key);
  return known ?? z.string().parse(await added(api, noun, { ...key, ...rest }));
}

/** The id of the new record; null if it exists already. */
async function added(api: Api, noun: string, input: object): Promise<string | null> {
  try {
    return z.string().parse(await api('manager', `/${noun}/add`, input));
  } catch (error) {
    if (error instanceof Conflict) return null;
    throw error;
  }
}

/** Waits for the driver, which registers over the bus at about the same time. */
async function registeredDriver(api: Api, driverCode: string): Promise<string> {
  for (let waited = 0; waited < DRIVER_WAIT_MS; waited += 100) {
    const page = Records.parse(await api('manager', '/driver/list', { driverCode }));
    const [driver] = page.records;
    if (driver) return driver.id;
    await sleep(100);
  }
  throw new Error(`the driver ${driverCode} did not register`);
}
