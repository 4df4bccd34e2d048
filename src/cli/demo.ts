import { setTimeout as sleep } from 'node:timers/promises';

import { z } from 'zod';

import type { App, Caller } from '../app.ts';
import { ConfigError } from '../core/config.ts';
import { acrossTenants } from '../db/tenant.ts';
import { centers } from '../gateway/centers.ts';
import { type DemoDevice, demoDevices } from './demo-data.ts';
import type { Composition } from './index.ts';

const DRIVER_WAIT_MS = 15_000;
const Records = z.object({ records: z.array(z.looseObject({ id: z.string() })) });
const Attributes = z.array(z.object({ id: z.string(), attributeCode: z.string() }));

/** Calls an endpoint of the platform as the demo tenant's admin, through its own table. */
type Api = (center: keyof typeof centers, path: string, input: object) => Promise<unknown>;

/**
 * `svc demo [names]`: onboards what a whole platform does at its start, for one whose parts run apart;
 * all demo devices, or the named ones.
 */
export async function demoCommand(
  { createApp, readConfig }: Composition,
  names: readonly string[],
): Promise<void> {
  const config = readConfig();
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

/** Onboards the demo devices through the same endpoints a user has; what exists is left alone. */
export async function seedDemo(app: App, names?: readonly string[]): Promise<void> {
  const caller = await demoCaller(app);
  const api: Api = (center, path, input) => {
    const route = centers[center].find((row) => row.path === path);
    if (!route) throw new Error(`there is no ${center}${path}`);
    return route.run(app, caller, input);
  };
  for (const device of demoDevices.filter((one) => names?.includes(one.deviceName) ?? true)) {
    const existing = Records.parse(
      await api('manager', '/device/list', { deviceName: device.deviceName }),
    );
    if (!existing.records.some((record) => record['deviceName'] === device.deviceName)) {
      await onboard(api, device);
    }
  }
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
  const profileId = await added(api, '/profile/add', {
    profileName: device.profileName,
    profileCode: device.profileName,
  });
  const deviceId = await added(api, '/device/add', {
    deviceName: device.deviceName,
    deviceCode: device.deviceName,
    driverId,
    profileId,
  });
  const driverAttributes = await attributes('driver');
  for (const [code, configValue] of Object.entries(device.configs)) {
    const attributeId = driverAttributes.get(code);
    await added(api, '/driver_attribute_config/add', { attributeId, deviceId, configValue });
  }
  const pointAttributes = await attributes('point');
  for (const { configs, ...point } of device.points) {
    const pointId = await added(api, '/point/add', {
      ...point,
      pointCode: point.pointName,
      profileId,
    });
    for (const [code, configValue] of Object.entries(configs)) {
      const attributeId = pointAttributes.get(code);
      await added(api, '/point_attribute_config/add', {
        attributeId,
        deviceId,
        pointId,
        configValue,
      });
    }
  }
  for (const command of device.commands)
    await added(api, '/command/add', { ...command, profileId });
  for (const event of device.events) await added(api, '/event/add', { ...event, profileId });
}

const added = async (api: Api, path: string, input: object): Promise<string> =>
  z.string().parse(await api('manager', path, input));

/** The drivers register over the bus at about the time this runs. */
async function registeredDriver(api: Api, driverCode: string): Promise<string> {
  for (let waited = 0; waited < DRIVER_WAIT_MS; waited += 100) {
    const page = Records.parse(await api('manager', '/driver/list', { driverCode }));
    const [driver] = page.records;
    if (driver) return driver.id;
    await sleep(100);
  }
  throw new Error(`the driver ${driverCode} did not register`);
}
