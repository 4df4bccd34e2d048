import { z } from 'zod';

import { onboardQuiet, type Plant } from '../devices/plant.ts';
import type { Session } from '../people/session.ts';
import { Id } from '../people/shapes.ts';
import type { World } from '../world/app.ts';

const DATA = '/api/v3/data';
const MINUTE = 60_000;
const HOT = {
  condition: { field: 'value', operator: '>', threshold: 90, unit: '°C' },
  severity: 'P1',
};

export type Site = {
  world: World;
  session: Session;
  plant: Plant;
  deviceName: string;
  pointName: string;
};

/** A tenant with a thermostat that only the test reports for. */
export async function site(world: World, tenant: string): Promise<Site> {
  const session = await world.tenant(tenant);
  const plant = await onboardQuiet(world, session);
  const { deviceId } = plant;
  const device = await session.data('/api/v3/manager/device/get_by_id', undefined, {
    id: deviceId,
  });
  const { deviceName } = z.object({ deviceName: z.string() }).parse(device);
  return { world, session, plant, deviceName, pointName: 'temperature' };
}

/** Two peaks over 90 °C, one of them over 98 °C. */
export async function report({ world, session, plant }: Site): Promise<void> {
  const { deviceId, driverId, temperature: pointId } = plant;
  const begin = world.clock.now() - 30 * MINUTE;
  const values = ['80', '93', '85', '99', '97', '70'].map((value, index) => ({
    deviceId,
    pointId,
    rawValue: value,
    calValue: value,
    numValue: Number(value),
    originTime: begin + index * MINUTE,
    seq: index,
    quality: 0 as const,
  }));
  const { tenantId } = session;
  const driverCode = 'VirtualDriver';
  await world.bus.handled(
    'svc.e.value',
    { tenantId, driverId, driverCode, node: 'test', values },
    driverCode,
  );
}

/** A rule on the temperature that fires above 90 °C. */
export const addRule = async ({ session, plant }: Site, ruleName: string): Promise<string> =>
  Id.parse(
    await session.data(`${DATA}/rule/add`, {
      ruleName,
      alarmTargetTypeFlag: 'POINT',
      entityId: plant.temperature,
      ruleExt: { content: HOT },
    }),
  );

/** Every rule of the tenant, as the API answers it. */
export const storedRules = async ({ session }: Site) =>
  z
    .object({
      records: z.array(
        z.looseObject({
          id: z.string(),
          ruleName: z.string(),
          enableFlag: z.string(),
          ruleExt: z.looseObject({ content: z.looseObject({ severity: z.string() }) }),
        }),
      ),
    })
    .parse(await session.data(`${DATA}/rule/list`, {})).records;
