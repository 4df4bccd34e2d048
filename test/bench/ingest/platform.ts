/**
 * The platform of a tree that stores what a driver reports: over RabbitMQ with `AMQP_URL`. Arguments: the tree, and the
 * number of devices with 100 points each.
 */
import { existsSync } from 'node:fs';

import { z } from 'zod';

import type { Bus } from '../../../src/bus/bus.ts';
import { openRabbitmqBus } from '../../../src/bus/rabbitmq/bus.ts';
import { Quality } from '../../../src/bus/topic/topics.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createLog } from '../../../src/kernel/process/log.ts';
import { setV8Flags } from '../../../src/kernel/process/v8-flags.ts';
import { add } from '../../support/devices/plant.ts';
import { login } from '../../support/people/session.ts';
import { testEnvironment } from '../../support/world/environment.ts';
import { watched } from '../../support/world/watched-bus.ts';
import { answerWith } from './question.ts';

// What src/main.ts begins with; an older tree runs on the same.
setV8Flags();

const DEVICES = Number(process.argv[3] ?? 50);
const POINTS = 100;
/** As many as ingest takes at a time, and as many again that wait. */
const AT_ONCE = 4;
const driverCode = 'bench';

type Platform = { app: { bus: Bus; config: { baseUrl: string } }; stop(): Promise<void> };
const Starter = z.custom<(settings: unknown, parts: { bus?: Bus }) => Promise<Platform>>();
const Reader = z.custom<(environment: Record<string, string | undefined>) => unknown>();

const { AMQP_URL: url, SVC_BUS_PREFIX: prefix = '' } = process.env;
const overBroker = url
  ? watched(await openRabbitmqBus({ url, prefix, clock: systemClock, log: createLog('info') }))
  : null;
const parts = overBroker ? { bus: overBroker } : {};
const { app, stop } = await startTree(new URL(process.argv[2] ?? ''));
process.once('SIGTERM', () => void stop().then(() => process.exit()));
const admin = await login(
  app.config.baseUrl,
  'default',
  'admin',
  testEnvironment.SVC_ADMIN_PASSWORD,
);
const driverId = await add(admin, 'driver', {
  driverName: driverCode,
  driverCode,
  serviceName: 'svc-driver-bench',
});
const profileId = await add(admin, 'profile', { profileName: 'bench' });
const pairs: { deviceId: string; pointId: string }[] = [];
const pointIds: string[] = [];
for (let n = 0; n < POINTS; n += 1)
  pointIds.push(
    await add(admin, 'point', {
      pointName: `point ${n}`,
      pointTypeFlag: 'DOUBLE',
      rwFlag: 'READ_ONLY',
      profileId,
    }),
  );
for (let n = 0; n < DEVICES; n += 1) {
  const deviceId = await add(admin, 'device', { deviceName: `device ${n}`, driverId, profileId });
  pairs.push(...pointIds.map((pointId) => ({ deviceId, pointId })));
}

answerWith(async (size, batch, points = pairs.length) => {
  const { tenantId } = admin;
  const originTime = Date.now();
  const values = Array.from({ length: size }, (_, at) => {
    const pair = pairs[(batch * size + at) % points] ?? { deviceId: '0', pointId: '0' };
    const number = 20 + ((batch + at) % 100) / 10;
    const text = String(number);
    const value = { rawValue: text, calValue: text, numValue: number, originTime };
    return { ...pair, ...value, seq: batch, quality: Quality.GOOD };
  });
  const message = { tenantId, driverId, driverCode, node: 'bench', values };
  // The broker has a message before anybody takes it: stored is what every queue is done with.
  if (overBroker) await overBroker.handled('svc.e.value', message, driverCode);
  else await app.bus.publish('svc.e.value', message, { key: driverCode });
}, AT_ONCE);

/** Where a tree has its parts: today's, those before `src/start`, else as in the first revisions. */
async function startTree(tree: URL): Promise<Platform> {
  const has = (file: string): boolean => existsSync(new URL(file, tree));
  const [starter, reader, read] = has('src/start/platform.ts')
    ? ['src/start/platform.ts', 'src/start/settings.ts', 'readSettings']
    : has('src/platform.ts')
      ? ['src/platform.ts', 'src/settings.ts', 'readSettings']
      : ['src/main.ts', 'src/core/config.ts', 'readConfig'];
  const part = async (file: string): Promise<unknown> => import(new URL(file, tree).href);
  const { startPlatform } = z.looseObject({ startPlatform: Starter }).parse(await part(starter));
  const readings = z.record(z.string(), z.unknown()).parse({ ...Object(await part(reader)) });
  return startPlatform(
    Reader.parse(readings[read])({
      ...testEnvironment,
      SVC_DEMO: 'off',
      SVC_LOG_LEVEL: 'info',
      SVC_DATA_DIR: process.env['SVC_DATA_DIR'],
      DATABASE_URL: process.env['DATABASE_URL'],
    }),
    parts,
  );
}
