import { randomUUID } from 'node:crypto';

import { scanHeld } from '../../../../src/alarm/watch/held.ts';
import { scanOutages } from '../../../../src/alarm/watch/outage.ts';
import { addTo } from '../../devices/notify.ts';
import { add, onboardQuiet } from '../../devices/plant.ts';
import { createRandom, type Random } from '../../hostile/random.ts';
import type { World } from '../../world/app.ts';
import { fresh } from '../../world/fresh-name.ts';
import { type Compared, Tally } from './compared.ts';

const DATA = '/api/v3/data';
const SECOND = 1_000;
/** Between two scans. */
const TICK = 15 * SECOND;
const TICKS = 40;
const LONG = 86_400 * SECOND;
const DRIVER = 'VirtualDriver';

type Target = 'DEVICE' | 'DRIVER' | 'EVENT';
/** `isLate`: some of what it is tried on comes later than it occurred. */
type Kind = { target: Target; isEvery?: true; isLate?: true; content: object };

const offline = { field: 'statusName', operator: 'eq', expected: 'OFFLINE' };
const level = { field: 'paramValues.level', operator: '>', threshold: 60 };

/** Every kind of rule on devices, drivers and events, by its name. */
export const recordKinds: Readonly<Record<string, Kind>> = {
  'device offline': { target: 'DEVICE', content: { condition: offline } },
  'device offline, held': {
    target: 'DEVICE',
    content: { condition: offline, window: { duration: 'PT45S' } },
  },
  'device back for a time': {
    target: 'DEVICE',
    content: {
      condition: { field: 'statusName', operator: 'ne', expected: 'ONLINE' },
      window: { duration: 'PT15S' },
      recovery: { enabled: true, duration: 'PT30S' },
    },
  },
  'device latched': {
    target: 'DEVICE',
    content: { condition: offline, recovery: { enabled: false } },
  },
  'device that reports': {
    target: 'DEVICE',
    isLate: true,
    content: { condition: { field: 'message', operator: 'contains', expected: 'broken' } },
  },
  'every device': {
    target: 'DEVICE',
    isEvery: true,
    content: {
      condition: { field: 'status', operator: 'eq', expected: 'offline' },
      window: { duration: 'PT30S' },
    },
  },
  'driver offline': { target: 'DRIVER', content: { condition: offline } },
  'driver offline, held': {
    target: 'DRIVER',
    content: { condition: offline, window: { duration: 'PT30S' } },
  },
  'every driver': {
    target: 'DRIVER',
    isEvery: true,
    content: { condition: { field: 'statusName', operator: 'ne', expected: 'ONLINE' } },
  },
  'event of a code': {
    target: 'EVENT',
    isLate: true,
    content: { condition: { field: 'eventCode', operator: 'eq', expected: 'leak' } },
  },
  'event with a parameter': {
    target: 'EVENT',
    isLate: true,
    content: { condition: level, recovery: { operator: '<', threshold: 40 } },
  },
  'event with a parameter, held': {
    target: 'EVENT',
    content: {
      condition: { ...level, field: 'level' },
      window: { duration: 'PT60S' },
      recovery: { operator: '<', threshold: 20, duration: 'PT30S' },
    },
  },
  'event of a level': {
    target: 'EVENT',
    isLate: true,
    content: {
      condition: { field: 'eventLevelFlag', operator: '>=', threshold: 2 },
      recovery: { operator: '<', threshold: 2 },
    },
  },
  'every event': {
    target: 'EVENT',
    isEvery: true,
    isLate: true,
    content: { condition: level, recovery: { operator: '<', threshold: 30 } },
  },
};

const among = <T>(random: Random, all: readonly [T, ...T[]]): T =>
  all[random.upTo(all.length - 1)] ?? all[0];

/** Random outages, reports and events, each evaluated as it comes by a rule of its kind, and previewed afterwards. */
export async function runRecorded(
  world: World,
  { seed, series }: { seed: number; series: number },
): Promise<Compared[]> {
  const { app, bus, clock } = world;
  const session = await world.tenant(fresh('recorded'));
  const { tenantId } = session;
  const { driverId, profileId, deviceId: first } = await onboardQuiet(world, session);
  const second = await add(session, 'device', { deviceName: fresh('other'), driverId, profileId });
  const devices = [first, second] as const;
  const names = Object.keys(recordKinds);
  const tally = new Tally();

  const state = (leaseMs: number, more: readonly { deviceId: string; status: Status }[]) =>
    bus.handled(
      'svc.e.state',
      {
        driverCode: DRIVER,
        node: app.config.node,
        at: clock.now(),
        leaseMs,
        devices: more.map((one) => ({ ...one, tenantId, description: '' })),
      },
      DRIVER,
    );
  const report = (target: 'DEVICE' | 'DRIVER', entityId: string, { random, late }: Given) =>
    bus.handled(
      'svc.e.alarm',
      {
        tenantId,
        target,
        entityId,
        type: among(random, ['FAULT', 'OFFLINE', 'REPORT']),
        source: target === 'DEVICE' ? 'DEVICE_REPORT' : 'DRIVER_REPORT',
        message: `broken ${random.upTo(9)}`,
        occurTime: clock.now() - late(),
      },
      tenantId,
    );
  const event = (from: number, { random, late }: Given) =>
    bus.handled(
      'svc.e.event',
      {
        schemaVersion: 1,
        recordId: randomUUID(),
        tenantId,
        deviceId: among(random, devices),
        eventCode: among(random, ['leak', 'flow', 'idle']),
        eventType: among(random, ['ALERT', 'INFO']),
        eventLevel: among(random, ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']),
        params: random.chance(0.2) ? {} : { level: String(random.upTo(100)), unit: '%' },
        message: 'a report',
        occurTime: Math.max(from, clock.now() - late()),
      },
      tenantId,
    );
  /** One tick of devices: what one of them says, if anything. */
  const ofDevice = async (given: Given): Promise<void> => {
    const { random } = given;
    const deviceId = among(random, devices);
    const status = among<Status>(random, ['ONLINE', 'ONLINE', 'OFFLINE', 'FAULT']);
    await state(random.chance(0.3) ? SECOND : LONG, [{ deviceId, status }]);
  };
  const ofDriver = async ({ random }: Given): Promise<void> => {
    await state(random.chance(0.5) ? SECOND : LONG, []);
  };

  for (let n = 0; n < series; n += 1) {
    const kind = names[n % names.length] ?? '';
    const { target, isEvery = false, isLate = false, content } = recordKinds[kind] ?? {};
    if (!target || !content) continue;
    const random = createRandom(seed + n);
    const late = (): number => (isLate && random.chance(0.2) ? random.upTo(60) * SECOND : 0);
    const given = { random, late };
    const entityId = isEvery ? '0' : target === 'DRIVER' ? driverId : first;
    const rule = { alarmTargetTypeFlag: target, entityId, ruleExt: { content } };
    const ruleId = await addTo(session, 'rule', { ...rule, ruleName: fresh('tried') });
    const from = clock.now() + TICK;
    for (let tick = 0; tick < TICKS; tick += 1) {
      clock.shift(TICK);
      const isBusy = random.chance(0.5);
      if (target === 'EVENT') {
        if (isBusy) await event(from, given);
        // Of a report and an outage in the same millisecond it is not stored which came first.
      } else if (isBusy && random.chance(0.2)) {
        const place = target === 'DRIVER' ? driverId : among(random, devices);
        await report(target, place, given);
      } else {
        if (isBusy) await (target === 'DRIVER' ? ofDriver : ofDevice)(given);
        await scanOutages(app);
      }
      await scanHeld(app, target === 'EVENT' ? 'value' : 'state');
    }
    // A hold time that ends with the last tick is over before the span is.
    clock.shift(TICK);
    const asked = { ...rule, ruleId, from: new Date(from).toISOString() };
    await tally.add(session, kind, asked, isLate);
    await session.data(`${DATA}/rule/delete`, { id: ruleId });
  }
  return tally.all;
}

/** How much later than it occurred something comes (ms). */
type Given = { random: Random; late(): number };
type Status = 'ONLINE' | 'OFFLINE' | 'FAULT';
