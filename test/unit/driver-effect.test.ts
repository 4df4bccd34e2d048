import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Driver, DriverDevice } from '../../driver/sdk/driver.ts';
import { startDriver } from '../../driver/sdk/host/host.ts';
import { effectDigest } from '../../src/bus/effect.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import {
  type DriverCenter,
  driverDevice,
  openDriverCenter,
} from '../support/devices/driver-center.ts';
import { TestClock } from '../support/world/clock.ts';
import { until } from '../support/world/until.ts';

const log = createLog('silent');
const point = { id: '1', code: 'a', rw: 'READ_WRITE', multiple: 0.1 } as const;
const device = driverDevice({ host: 'here' }, [{ ...point, configs: { path: '/3308/0/5900' } }]);
const driverCode = 'FieldDriver';

/** A write that was checked while the device was as `known`. */
function checked(known: DriverDevice, value = '21.5') {
  const [at] = known.points;
  if (!at) throw new Error('a device without a point');
  const { tenantId, driverId } = known;
  const effect = effectDigest({ tenantId, driverId, driverCode, device: known, point: at, value });
  return { type: 'WRITE', pointId: '1', value, effect } as const;
}

/** What may be different at the driver. */
const others: [string, DriverDevice][] = [
  ['a device setting', { ...device, configs: { host: 'there' } }],
  ['one setting more', { ...device, configs: { host: 'here', port: '1' } }],
  ['the driver row', { ...device, driverId: '10' }],
  ...(
    [
      ['a point setting', { configs: { path: '/3308/0/5601' } }],
      ['the multiple', { multiple: 0.2 }],
      ['the base', { base: 1 }],
      ['the decimals', { decimals: 1 }],
      ['the type', { type: 'FLOAT' }],
      ['the access', { rw: 'WRITE_ONLY' }],
    ] as const
  ).map(([what, change]): [string, DriverDevice] => [
    what,
    { ...device, points: device.points.map((at) => ({ ...at, ...change })) },
  ]),
];

describe('a write with the digest of what was checked', () => {
  let dataDir: string;
  let clock: TestClock;
  let center: DriverCenter;
  let stop: () => Promise<void>;
  const written: string[] = [];
  const driver: Driver = {
    code: driverCode,
    name: 'Field Driver',
    type: 'DRIVER_CLIENT',
    driverAttributes: [],
    pointAttributes: [],
    readCron: '0/30 * * * * ?',
    start: async () => {},
    status: () => ({ status: 'ONLINE', description: '' }),
    read: async () => ({ rawValue: '215', originTime: 1 }),
    write: async (at, _point, raw) => void written.push(`${at.configs['host']} ${raw}`),
    stop: async () => {},
  };

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'effect-'));
    clock = new TestClock();
    written.length = 0;
    center = await openDriverCenter(clock, driverCode, [device]);
    const running = await startDriver(driver, { bus: center.bus, clock, log, node: 'n1', dataDir });
    stop = () => running.stop();
    await until(() => expect(running.devices().size).toBe(1));
  });
  afterEach(async () => {
    await stop();
    await center.bus.close();
    await rm(dataDir, { recursive: true });
  });

  it('is done where the driver knows the same', async () => {
    const { commandId } = await center.send(checked(device));
    expect(await center.result(commandId)).toMatchObject({ status: 'SUCCESS' });
    expect(written).toEqual(['here 215']);
  });

  it.each(others)('is refused where the driver knows %s otherwise', async (_what, other) => {
    const waiting = clock.pending;
    const { commandId } = await center.send(checked(other));
    await until(() => expect(clock.pending).toBeGreaterThan(waiting));
    await clock.advance(1_000);
    expect(await center.result(commandId)).toMatchObject({
      status: 'FAILED',
      errorCode: 'EFFECT_CHANGED',
    });
    expect(written).toEqual([]);
  });

  it('is refused with another value than the one that was checked', async () => {
    const waiting = clock.pending;
    const { commandId } = await center.send({ ...checked(device), value: '22' });
    await until(() => expect(clock.pending).toBeGreaterThan(waiting));
    await clock.advance(1_000);
    expect(await center.result(commandId)).toMatchObject({ errorCode: 'EFFECT_CHANGED' });
    expect(written).toEqual([]);
  });

  it.each([null, undefined])('is refused at once where that is %s', async (effect) => {
    const { commandId } = await center.send({ ...checked(device), effect });
    expect(await center.result(commandId)).toMatchObject({
      status: 'FAILED',
      errorCode: 'EFFECT_MISSING',
    });
    expect(written).toEqual([]);
  });

  it('waits a moment for the news of a change that is behind it', async () => {
    const moved = { ...device, configs: { host: 'there' } };
    const waiting = clock.pending;
    const { commandId } = await center.send(checked(moved));
    await until(() => expect(clock.pending).toBeGreaterThan(waiting));
    await center.announce(moved);
    await clock.advance(100);
    expect(await center.result(commandId)).toMatchObject({ status: 'SUCCESS' });
    expect(written).toEqual(['there 215']);
  });
});
