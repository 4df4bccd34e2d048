import { z } from 'zod';

import { agentIn } from '../../../tools/agent.ts';
import { add, pointAttributes } from '../../devices/plant.ts';
import { lwm2mDevice } from '../../lwm2m/device.ts';
import { waitingEndpoint } from '../../lwm2m/waiting.ts';
import type { Session } from '../../people/session.ts';
import { Records } from '../../people/shapes.ts';
import { startWorld, type World, type WorldOptions } from '../../world/app.ts';
import { HeldClock } from '../../world/shifted-clock.ts';

const MANAGER = '/api/v3/manager';
const DATA = '/api/v3/data';
const MINUTE_MS = 60_000;
/** 12:34 in summer at the plant. */
export const NOW = Date.parse('2026-07-15T10:34:00Z');
export const ZONE = 'Europe/Berlin';
const HOUR_MS = 60 * MINUTE_MS;
const DAYS = 4;
const EVERY_MS = 15 * MINUTE_MS;

const POINTS = {
  chamber: [
    { pointName: 'air temperature', unit: '°C' },
    { pointName: 'air set-point', unit: '°C', rwFlag: 'READ_WRITE', minValue: -30, maxValue: 90 },
    { pointName: 'fan on', pointTypeFlag: 'BOOLEAN', rwFlag: 'READ_WRITE' },
    { pointName: 'operator note', pointTypeFlag: 'STRING', rwFlag: 'READ_WRITE' },
  ],
  pump: [
    { pointName: 'flow', unit: 'm³/h' },
    { pointName: 'outlet pressure', unit: 'bar' },
    {
      pointName: 'speed',
      unit: '%',
      pointTypeFlag: 'INT',
      rwFlag: 'READ_WRITE',
      minValue: 0,
      maxValue: 100,
    },
  ],
} as const;
const DEVICES = {
  chamber: ['Kältekammer 1', 'Kältekammer 2', 'Kammer unten Nord', 'Kammer unter Rampe'],
  pump: ['Feed pump 1', 'Feed pump 2', 'Насос 3', '冷却泵 4'],
} as const;

/** Codes of devices, by their names. */
export const CODES: Readonly<Record<string, string>> = {
  'Kältekammer 1': 'CH-01',
  'Kältekammer 2': 'CH-02',
  'Feed pump 1': 'P/101A',
};

export type Place = { deviceId: string; device: string; pointId: string; point: string };
export type Plant = Awaited<ReturnType<typeof startPlant>>;

/** Eight devices of two kinds with four days of values, a group, a rule, an endpoint that waits; time is held from then on. */
export async function startPlant(options: Pick<WorldOptions<HeldClock>, 'database'> = {}) {
  const clock = new HeldClock();
  clock.shift(NOW - HOUR_MS - clock.now());
  const world = await startWorld({ ...options, clock });
  const session = await world.tenant('spelled');
  const found = await session.data(`${MANAGER}/driver/list`, { driverCode: 'VirtualDriver' });
  const driverId = z.string().parse(Records.parse(found).records[0]?.id);
  const attributes = await pointAttributes(session, driverId);
  const places: Place[] = [];
  const profiles: Record<string, string> = {};
  for (const kind of ['chamber', 'pump'] as const) {
    const profileId = await add(session, 'profile', { profileName: kind });
    profiles[kind] = profileId;
    const points: { id: string; name: string }[] = [];
    for (const given of POINTS[kind]) {
      const row = { pointTypeFlag: 'DOUBLE', rwFlag: 'READ_ONLY', ...given, profileId };
      points.push({ id: await add(session, 'point', row), name: given.pointName });
    }
    for (const deviceName of DEVICES[kind]) {
      const deviceCode = CODES[deviceName];
      const row = { deviceName, deviceCode, driverId, profileId };
      const deviceId = await add(session, 'device', row);
      for (const { id, name } of points) {
        places.push({ deviceId, device: deviceName, pointId: id, point: name });
        await add(session, 'point_attribute_config', {
          deviceId,
          pointId: id,
          attributeId: attributes.get('signal'),
          configValue: 'setpoint',
        });
      }
    }
  }
  clock.hold();
  clock.shift(NOW - clock.now());
  const place = (device: string, point: string): Place => {
    const one = places.find((known) => known.device === device && known.point === point);
    if (!one) throw new Error(`there is no ${point} of ${device}`);
    return one;
  };
  const groupId = await add(session, 'group', {
    groupName: 'Cold store',
    groupTypeFlag: 'DEVICE',
  });
  const deviceId = place('Kältekammer 1', 'air temperature').deviceId;
  await session.data(`${MANAGER}/device/update`, { id: deviceId, groupId });
  for (const point of ['air temperature', 'air set-point'])
    for (const device of ['Kältekammer 1', 'Kältekammer 2'])
      await fill(session, place(device, point));
  for (const point of ['flow', 'outlet pressure']) await fill(session, place('Feed pump 1', point));
  const content = {
    condition: { field: 'calValue', operator: '>', threshold: 10, unit: '°C' },
    severity: 'P2',
  };
  const ruleId = z.string().parse(
    await session.data(`${DATA}/rule/add`, {
      ruleName: 'Chamber too warm',
      alarmTargetTypeFlag: 'POINT',
      entityId: place('Kältekammer 1', 'air temperature').pointId,
      ruleExt: { content },
    }),
  );
  return {
    world,
    session,
    agent: { ...agentIn(session), timezone: ZONE },
    place,
    waiting: await waitingIn(world, session),
    ids: { driverId, groupId, ruleId, profileId: profiles['chamber'] ?? '' },
    stop: () => world.stop(),
  };
}

/** An endpoint that proved no key, and a device of its driver. */
async function waitingIn(world: Pick<World, 'admin' | 'bus' | 'clock'>, session: Session) {
  const { deviceId } = await lwm2mDevice(session, {});
  const waitingId = await waitingEndpoint(world, world.admin);
  const given = { id: waitingId, tenantId: session.tenantId };
  await world.admin.data(`${MANAGER}/device/waiting/assign`, given);
  return { waitingId, deviceId };
}

/** A value each quarter of an hour of the last days. */
async function fill(session: { data(path: string, body: unknown): Promise<unknown> }, to: Place) {
  const count = (DAYS * 24 * 60 * MINUTE_MS) / EVERY_MS;
  const values = Array.from({ length: count }, (_, index) => ({
    deviceId: to.deviceId,
    pointId: to.pointId,
    value: String(((index * 7) % 40) / 10),
    createTime: new Date(NOW - (count - index) * EVERY_MS).toISOString(),
  }));
  await session.data(`${DATA}/point_value/import`, { values });
}
