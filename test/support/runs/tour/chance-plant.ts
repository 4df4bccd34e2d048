import { z } from 'zod';

import { agentIn, report, toolNamed } from '../../../tools/agent.ts';
import { addTo, DATA } from '../../devices/notify.ts';
import { add, pointAttributes } from '../../devices/plant.ts';
import { lwm2mDevice } from '../../lwm2m/device.ts';
import { registersFirmware } from '../../lwm2m/registers-firmware.ts';
import { firmwarePackage } from '../../lwm2m/upload-firmware.ts';
import { reportWaiting } from '../../lwm2m/waiting.ts';
import { ACTIONS } from '../../people/actions.ts';
import type { Session } from '../../people/session.ts';
import { Records } from '../../people/shapes.ts';
import { startWorld, type World } from '../../world/app.ts';
import { eventually } from '../../world/eventually.ts';
import { ShiftedClock } from '../../world/shifted-clock.ts';
import { confirmSeen } from '../confirm-seen.ts';
import { chanceOf, COUNTS, type Chance, type KindOfDevice, type Seed } from './chance.ts';
import { agentOf, personOf } from './people.ts';
import { HIDDEN } from './site.ts';
import { tablesOf } from './tables.ts';

const MINUTE = 60_000;
/** Of values each five minutes. */
export const STEP = 5 * MINUTE;
const DAY_STEPS = 288;
/** By then its driver says that the others are online. */
const SERVED_MS = 60_000;
const NEVER_CONNECTED = 2;
const Total = z.looseObject({ total: z.number() });
/** Age of the only value of the last room. */
const OLD_MS = 40 * MINUTE;
/** Once an hour, in half an hour from now: the values of the tables are those of the plant. */
const readCron = (now: Date): string => `0 ${(now.getUTCMinutes() + 30) % 60} * * * ?`;
export const LIMIT = 500;
export const ENDPOINT = 'urn:renamed:7';

type Place = {
  deviceId: string;
  pointId: string;
  profileId: string;
  driverId: string;
  driverCode: string;
};
export type ChancePlant = Awaited<ReturnType<typeof startChancePlant>>;

const POINTS: Record<KindOfDevice, object> = {
  room: { unit: '°C', valueDecimal: 2 },
  pump: { unit: 'rpm', valueDecimal: 1 },
  inverter: { unit: 'kW', valueDecimal: 2 },
  valve: { unit: '%', rwFlag: 'READ_WRITE', minValue: 40, maxValue: 85 },
  meter: { unit: 'kWh' },
};
const KINDS = ['room', 'pump', 'inverter', 'valve', 'meter'] as const;

/** Twenty-eight devices with names in five scripts and what goes wrong in them, by their seed; two people, two programs. */
export async function startChancePlant(seed: Seed) {
  await using started = new AsyncDisposableStack();
  const chance = chanceOf(seed);
  const clock = new ShiftedClock();
  if (chance.startsAt !== null) clock.shift(chance.startsAt - clock.now());
  const environment = { SVC_DRIVER_READ_CRON: readCron(new Date()) };
  const world = await startWorld({ clock, environment });
  started.defer(() => world.stop());
  const admin = await world.tenant('plant');
  await world.admin.data('/api/v3/auth/tenant/update', {
    id: admin.tenantId,
    timezone: chance.zone,
  });
  const site = await buildChance(world, admin, chance);
  const [anna, ben] = await Promise.all([
    personOf(admin, 'anna', 'admin'),
    personOf(admin, 'ben', 'operator'),
  ]);
  const [agent, planner] = await Promise.all([agentOf(admin, 'tour'), agentOf(admin, 'planner')]);
  started.defer(async () => void (await Promise.all([agent.close(), planner.close()])));
  const series = await seed28(world, admin, chance, site.place);
  const ruleId = await addTo(admin, 'rule', {
    ruleName: 'Pump slow',
    alarmTargetTypeFlag: 'POINT',
    entityId: site.place('pump', chance.stoppedPump).pointId,
    ruleExt: {
      content: {
        condition: { field: 'calValue', operator: '<', threshold: LIMIT, unit: 'rpm' },
        severity: 'P1',
        instruction: 'Open the bypass.',
      },
    },
  });
  await report(world, admin, site.place('pump', chance.stoppedPump), [12]);
  const { structuredContent: planned } = await planner.call('writePointValue', {
    pointId: chance.named('valve', 2),
    value: 58,
    reason: 'night',
  });
  await confirmSeen(ben, String(Object(planned).actionId), 10_000);
  const never = { status: 'never connected', limit: 1 };
  await eventually(
    async () =>
      Total.parse(await toolNamed('searchDevices').run(world.app, agentIn(admin), never)).total,
    (total) => total === NEVER_CONNECTED,
    SERVED_MS,
  );
  const stop = started.move();
  return {
    world,
    chance,
    site,
    series,
    agent,
    ruleId,
    tables: () => tablesOf(world, admin),
    confirm: (actionId: string) => confirmSeen(anna, actionId, 10_000),
    reject: (actionId: string, reason: string) =>
      anna.data(`${ACTIONS}/reject`, { action_id: actionId, reason }),
    rest: (path: string, body: object) => admin.data(`/api/v3/${path}`, body),
    stop: () => stop.disposeAsync(),
  };
}

async function buildChance(world: World, session: Session, chance: Chance) {
  const places = new Map<string, Place>();
  const driverCode = 'VirtualDriver';
  const { records } = Records.parse(
    await session.data('/api/v3/manager/driver/list', { driverCode }),
  );
  const driverId = records[0]?.id ?? '';
  const attributes = await pointAttributes(session, driverId);
  const configure = async (deviceId: string, pointId: string, signal: string, value: string) => {
    for (const [code, configValue] of Object.entries({ signal, value }))
      await add(session, 'point_attribute_config', {
        deviceId,
        pointId,
        attributeId: attributes.get(code),
        configValue,
      });
  };
  const groupId = await add(session, 'group', { groupName: 'pumps', groupTypeFlag: 'DEVICE' });
  for (const kind of KINDS) {
    const profileId = await add(session, 'profile', { profileName: kind });
    const pointId = await add(session, 'point', {
      pointName: chance.point(kind),
      pointTypeFlag: 'DOUBLE',
      rwFlag: 'READ_ONLY',
      ...POINTS[kind],
      profileId,
    });
    for (let n = 1; n <= COUNTS[kind]; n += 1) {
      const deviceName = chance.device(kind, n);
      // The last two valves never connected.
      if (kind === 'valve' && n > 4) {
        const { deviceId, driverId: lwm2m } = await lwm2mDevice(
          session,
          { endpoint: `urn:valve:${n}` },
          profileId,
        );
        await session.data('/api/v3/manager/device/update', { id: deviceId, deviceName });
        places.set(`valve ${n}`, {
          deviceId,
          pointId,
          profileId,
          driverId: lwm2m,
          driverCode: 'Lwm2mDriver',
        });
        continue;
      }
      const deviceId = await add(session, 'device', { deviceName, driverId, profileId });
      places.set(`${kind} ${n}`, { deviceId, pointId, profileId, driverId, driverCode });
      if (kind === 'valve') await configure(deviceId, pointId, 'setpoint', '60');
      if (kind === 'pump')
        await add(session, 'group_bind', { groupId, entityTypeFlag: 'DEVICE', entityId: deviceId });
    }
  }
  const profileId = await add(session, 'profile', { profileName: 'tank' });
  const note = { pointName: 'operator note', pointTypeFlag: 'STRING', rwFlag: 'READ_ONLY' };
  const pointId = await add(session, 'point', { ...note, profileId });
  const deviceId = await add(session, 'device', { deviceName: HIDDEN.device, driverId, profileId });
  await configure(deviceId, pointId, 'constant', HIDDEN.value);
  await session.data(`${DATA}/point_command/read`, { deviceId, pointId });
  const place = (kind: KindOfDevice, n: number): Place => {
    const found = places.get(`${kind} ${n}`);
    if (!found) throw new Error(`there is no ${kind} ${n}`);
    return found;
  };
  for (const n of [1, 2])
    await registersFirmware(world.app, session.tenantId, place('room', n).deviceId);
  await firmwarePackage(session, new Uint8Array([1]), {
    package_name: 'Chiller',
    package_version: '2.0.0',
  });
  const key = { tenantId: session.tenantId, deviceId: place('valve', 5).deviceId };
  await reportWaiting(world, { endpoint: ENDPOINT, key });
  return { place, devices: 28 };
}

/** Values as the drivers put them on the bus, the newest now; answers those with a fault. */
async function seed28(
  world: World,
  session: Session,
  chance: Chance,
  place: (kind: KindOfDevice, n: number) => Place,
) {
  const { random, spike, gap, faster } = chance;
  const noise = (): number => (random() - 0.5) * 0.4;
  const day = (level: number): number[] =>
    Array.from({ length: DAY_STEPS }, () => Number((level + noise()).toFixed(2)));
  const put = async (kind: KindOfDevice, n: number, values: readonly number[], every = STEP) => {
    const isTable = kind === chance.imported && values.length > 1;
    if (isTable) await importPast(world, session, place(kind, n), { values, every });
    await report(world, session, place(kind, n), isTable ? values.slice(-1) : values, every);
  };
  const latest = new Map<string, number>();
  const keep = (kind: KindOfDevice, n: number, values: readonly number[]): void =>
    void latest.set(`${kind} ${n}`, values.at(-1) ?? Number.NaN);
  for (let n = 1; n < 6; n += 1) {
    const values = day(-18);
    if (n === spike.room) values[spike.at] = spike.peak;
    await put('room', n, values);
    keep('room', n, values);
  }
  world.clock.shift(-OLD_MS);
  await put('room', 6, [-18]);
  world.clock.shift(OLD_MS);
  for (let n = 1; n <= 4; n += 1) {
    const values = day(10);
    keep('inverter', n, values);
    const { from, steps } = gap;
    if (n !== gap.inverter) await put('inverter', n, values);
    else {
      const before = DAY_STEPS - from;
      world.clock.shift(-before * STEP);
      await put('inverter', n, values.slice(0, from));
      world.clock.shift(before * STEP);
      await put('inverter', n, values.slice(from + steps));
    }
  }
  for (let n = 1; n <= 6; n += 1) {
    // Two weeks of hours; one pump turned faster in the second.
    const values = Array.from({ length: 336 }, (_, hour) =>
      Number((1_400 + (n === faster.pump && hour >= 168 ? faster.by : 0) + noise()).toFixed(1)),
    );
    await put('pump', n, values, 60 * MINUTE);
    keep('pump', n, values);
  }
  for (let n = 1; n <= 4; n += 1) await put('valve', n, [60]);
  const meters: number[][] = [];
  for (let n = 1; n <= 5; n += 1) {
    const values = Array.from({ length: 120 }, (_, half) =>
      n === chance.reset.meter && half >= chance.reset.at
        ? 2 * (half - chance.reset.at + 1)
        : 1_000 + 2 * half,
    );
    await put('meter', n, values, 30 * MINUTE);
    meters.push(values);
  }
  return { now: world.clock.now(), latest, meters };
}

/** Values as a table brings them, without the newest, which is of now. */
async function importPast(
  { clock }: World,
  session: Session,
  { deviceId, pointId }: Place,
  { values, every }: { values: readonly number[]; every: number },
): Promise<void> {
  const now = clock.now();
  const rows = values.slice(0, -1).map((value, at) => ({
    deviceId,
    pointId,
    value: String(value),
    createTime: new Date(now - (values.length - 1 - at) * every).toISOString(),
  }));
  await session.data(`${DATA}/point_value/import`, { values: rows });
}
