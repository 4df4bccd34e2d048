import { z } from 'zod';

import type { Caller, Tool } from '../../src/kernel/app/app.ts';
import { tools } from '../../tools/index.ts';
import type { Session } from '../support/people/session.ts';
import { Records } from '../support/people/shapes.ts';
import type { World } from '../support/world/app.ts';

/** A program that may use every tool in the tenant of `session`. */
export const agentIn = (session: Session): Caller => ({
  tenantId: session.tenantId,
  // Must be of the tenant: a write is confirmed only while its proposer may propose it.
  principalId: session.principalId,
  principalType: 'SERVICE_ACCOUNT',
  name: 'agent',
  via: 'oauth',
  clientId: 'test',
  scopes: ['svc:read', 'svc:read-device', 'svc:propose'],
  permissions: new Set(['*']),
});

export function toolNamed(name: string): Tool {
  const tool = tools.find((candidate) => candidate.name === name);
  if (!tool) throw new Error(`no tool is called ${name}`);
  return tool;
}

const Id = z.string().regex(/^\d+$/);

export type Site = {
  driverId: string;
  driverCode: string;
  profileId: string;
  pointId: string;
  deviceId: string;
};

const MANAGER = '/api/v3/manager';

/** A driver, a profile with one writable point of 5 to 30 °C, and a device, made over REST. */
export async function onboard(session: Session, name: string): Promise<Site> {
  const driverCode = `${name}-driver`;
  const driverId = Id.parse(
    await session.data(`${MANAGER}/driver/add`, {
      driverName: `${name} driver`,
      driverCode,
      serviceName: `svc-driver-${name}`,
      serviceHost: '127.0.0.1',
    }),
  );
  return withDevice(session, name, { driverId, driverCode });
}

/** As `onboard`, on the virtual driver of the platform: its set-point can really be read and written. */
export async function onboardVirtual(
  world: World,
  name: string,
  session = world.admin,
): Promise<Site> {
  const driverCode = 'VirtualDriver';
  const { records } = Records.parse(await session.data(`${MANAGER}/driver/list`, { driverCode }));
  const driverId = Id.parse(records[0]?.id);
  const site = await withDevice(session, name, { driverId, driverCode });
  const attributes = z.array(z.object({ id: Id, attributeCode: z.string() })).parse(
    await session.data(`${MANAGER}/point_attribute/list_by_driver_id`, undefined, {
      driver_id: driverId,
    }),
  );
  for (const [code, configValue] of Object.entries({ signal: 'setpoint', value: '20' })) {
    const attributeId = attributes.find(({ attributeCode }) => attributeCode === code)?.id;
    await session.data(`${MANAGER}/point_attribute_config/add`, {
      attributeId,
      deviceId: site.deviceId,
      pointId: site.pointId,
      configValue,
    });
  }
  // As if it was read before: a card has a current value.
  await report(world, session, site, [20]);
  return site;
}

async function withDevice(
  session: Session,
  name: string,
  { driverId, driverCode }: Pick<Site, 'driverId' | 'driverCode'>,
): Promise<Site> {
  const add = async (noun: string, body: unknown) =>
    Id.parse(await session.data(`${MANAGER}/${noun}/add`, body));
  const profileId = await add('profile', { profileName: `${name} profile` });
  const pointId = await add('point', {
    pointName: `${name} set-point`,
    pointTypeFlag: 'DOUBLE',
    rwFlag: 'READ_WRITE',
    valueDecimal: 2,
    minValue: 5,
    maxValue: 30,
    unit: '°C',
    profileId,
  });
  const deviceId = await add('device', { deviceName: `${name} device`, driverId, profileId });
  return { driverId, driverCode, profileId, pointId, deviceId };
}

/** Puts values of the site's point on the bus, as its driver would; newest last, `everyMs` apart. */
export async function report(
  { app, bus }: World,
  { tenantId }: Session,
  site: Site,
  values: readonly number[],
  everyMs = 1000,
): Promise<void> {
  const now = app.clock.now();
  await bus.handled(
    'svc.e.value',
    {
      tenantId,
      driverId: site.driverId,
      driverCode: site.driverCode,
      node: 'test',
      values: values.map((value, index) => ({
        deviceId: site.deviceId,
        pointId: site.pointId,
        rawValue: String(value),
        calValue: String(value),
        numValue: value,
        originTime: now - (values.length - 1 - index) * everyMs,
        seq: 0,
        quality: 0,
      })),
    },
    tenantId,
  );
}

/** What every search tool answers. */
export const Page = z.object({
  total: z.number(),
  returned: z.number(),
  nextCursor: z.string().nullable(),
  records: z.array(z.record(z.string(), z.unknown())),
});
