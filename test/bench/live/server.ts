/**
 * The platform with a driver that reports 50 points of each of 500 devices, each every ten seconds. Asked for a number
 * of consoles, it spends ten seconds without one, lets a process of its own open them, and answers the figures of the ten
 * seconds that follow, beside those without.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { z } from 'zod';

import { Quality } from '../../../src/bus/topic/topics.ts';
import { add } from '../../support/devices/plant.ts';
import { login } from '../../support/people/session.ts';
import { testEnvironment } from '../../support/world/environment.ts';
import { percentile } from '../percentile.ts';
import { measuredPlatform } from '../platform/measured.ts';
import { ask, next, start, stop } from '../process.ts';
import { type Figures, Heard, Question } from './question.ts';

const CLIENT = new URL('./client.ts', import.meta.url);
const DEVICES = 500;
const POINTS = 50;
/** Each with 50 streams. */
const PRINCIPALS = 10;
const EACH_MS = 10_000;
/** Devices of one batch; one batch after the other, evenly. */
const AT_ONCE = 5;
const OPEN_MS = 120_000;
const SETTLE_MS = 3_000;
const driverCode = 'bench';

const { app, url, tokens } = await measuredPlatform('/api/v3', PRINCIPALS);
const admin = await login(url, 'default', 'admin', testEnvironment.SVC_ADMIN_PASSWORD);
const driverId = await add(admin, 'driver', {
  driverName: driverCode,
  driverCode,
  serviceName: 'svc-driver-bench',
});
const profileId = await add(admin, 'profile', { profileName: 'bench' });
const pointIds: string[] = [];
while (pointIds.length < POINTS)
  pointIds.push(
    await add(admin, 'point', {
      pointName: `point ${pointIds.length}`,
      pointTypeFlag: 'DOUBLE',
      rwFlag: 'READ_ONLY',
      profileId,
    }),
  );
const deviceIds: string[] = [];
while (deviceIds.length < DEVICES)
  deviceIds.push(
    await add(admin, 'device', { deviceName: `device ${deviceIds.length}`, driverId, profileId }),
  );

/** Reports the next devices. */
let turn = 0;
function report(): Promise<void> {
  const first = (turn * AT_ONCE) % DEVICES;
  turn += 1;
  const originTime = Date.now();
  const text = String(20 + (turn % 100) / 10);
  const value = { rawValue: text, calValue: text, numValue: Number(text), originTime };
  const values = deviceIds.slice(first, first + AT_ONCE).flatMap((deviceId) =>
    pointIds.map((pointId) => ({
      deviceId,
      pointId,
      ...value,
      seq: turn,
      quality: Quality.GOOD,
    })),
  );
  const batch = { tenantId: admin.tenantId, driverId, driverCode, node: 'bench', values };
  return app.bus.publish('svc.e.value', batch, { key: driverCode });
}
setInterval(() => void report(), (EACH_MS * AT_ONCE) / DEVICES);

/** Microseconds of CPU per second, for a while. */
async function spent(): Promise<number> {
  const began = process.hrtime.bigint();
  const before = process.cpuUsage();
  await sleep(EACH_MS);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / secondsSince(began);
}

const secondsSince = (began: bigint): number => Number(process.hrtime.bigint() - began) / 1e9;

async function measured(consoles: number): Promise<Figures> {
  // Right before the consoles come: what the values cost by themselves moves with the machine.
  const without = await spent();
  const client = start(CLIENT);
  const opened = next(client, z.literal('open'), OPEN_MS);
  const given = deviceIds.slice(0, consoles).map((deviceId, at) => ({
    token: tokens[at % tokens.length] ?? '',
    points: pointIds.map((pointId) => `${deviceId}:${pointId}`),
    devices: [deviceId],
  }));
  client.send({ url, consoles: given });
  await opened;
  await sleep(SETTLE_MS);
  await ask(client, 'heard', Heard);
  const began = process.hrtime.bigint();
  const withThem = await spent();
  const delays = await ask(client, 'heard', Heard);
  const told = delays.length / secondsSince(began);
  await stop(client);
  const [p50, p99] = [percentile(delays, 0.5), percentile(delays, 0.99)];
  return { each: (withThem - without) / consoles, told, p50, p99 };
}

process.on('message', (message) => {
  void measured(Question.parse(message).consoles).then((figures) => process.send?.(figures));
});
process.send?.('ready');
