import { expect, it } from 'vitest';

import { createCenterTime } from '../../driver/sdk/center-time.ts';
import { type Driver, DriverFailure } from '../../driver/sdk/driver.ts';
import * as failure from '../../driver/sdk/failure.ts';
import { Collector } from '../../driver/sdk/host/collect.ts';
import { createServing } from '../../driver/sdk/serving.ts';
import { createValuePublisher } from '../../driver/sdk/values.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { KeyedQueue } from '../../src/kernel/queue.ts';
import { driverDevice, openDriverCenter } from '../support/devices/driver-center.ts';
import { TestClock } from '../support/world/clock.ts';

const log = createLog('silent');
const device = driverDevice({}, [
  { id: '1', code: 'a' },
  { id: '2', code: 'b', type: 'STRING' },
  { id: '3', code: 'c' },
]);

const failing = (codes: Record<string, string>): Driver => ({
  code: 'FieldDriver',
  name: 'Field Driver',
  type: 'DRIVER_CLIENT',
  driverAttributes: [],
  pointAttributes: [],
  readCron: '0/30 * * * * ?',
  start: async () => {},
  status: () => ({ status: 'ONLINE', description: '' }),
  read: async (_device, { id }) => {
    const code = codes[id];
    if (code) throw new DriverFailure(code, 'no');
    return { rawValue: '1.5', originTime: 1 };
  },
  write: async () => {},
  stop: async () => {},
});

type Given = { noted?: unknown[]; runs?: number; between?: () => void };

async function collect(driver: Driver, { noted = [], runs = 1, between }: Given = {}) {
  const clock = new TestClock();
  const center = await openDriverCenter(clock, driver.code, [device]);
  const values = createValuePublisher({
    bus: center.bus,
    clock,
    driverCode: driver.code,
    node: 'n',
  });
  const devices = new Map([[device.id, device]]);
  const lock = new KeyedQueue(clock, { atOnce: 1 });
  const serving = createServing({ driver, devices, time: createCenterTime(clock), node: 'n' });
  serving.know(device.id, 'n');
  const collector = new Collector({
    driver,
    devices,
    serving,
    lock,
    values,
    issueChanged: ({ id }) => noted.push(collector.issueOf(id)),
    clock,
    log,
  });
  for (let run = 1; run <= runs; run++) {
    await collector.run();
    between?.();
  }
  await center.bus.close();
  return center.values.map(({ pointId, calValue, quality, issue }) => [
    pointId,
    calValue,
    quality,
    ...(issue === undefined ? [] : [issue]),
  ]);
}

it('a resource of another type than its point is told as a BAD value, of text points too', async () => {
  const driver = failing({ 1: 'VALUE_INVALID', 2: 'VALUE_INVALID' });
  expect(await collect(driver)).toEqual([
    ['1', '', 2, 'no'],
    ['2', '', 2, 'no'],
    ['3', '1.5', 0],
  ]);
});

it.each(['DEVICE_REFUSED', 'FORMAT_UNKNOWN', 'COAP_RESET', 'COAP_BAD_RESPONSE', 'POINT_CONFIG'])(
  'a point that cannot be read (%s) is told as BAD with the reason, and the others are read',
  async (code) => {
    expect(await collect(failing({ 1: code }))).toEqual([
      ['1', '', 2, 'no'],
      ['2', '1.5', 0],
      ['3', '1.5', 0],
    ]);
  },
);

it('a device that does not answer is left alone for the rest of the run', async () => {
  expect(await collect(failing({ 2: 'TIMEOUT' }))).toEqual([['1', '1.5', 0]]);
});

it('a device that does not answer has the reason until its points are read again', async () => {
  const codes: Record<string, string> = { 2: 'TIMEOUT' };
  const noted: unknown[] = [];
  await collect(failing(codes), { noted, runs: 2, between: () => delete codes['2'] });
  expect(noted).toEqual(['no', undefined]);
});

it('a device that refuses has answered', async () => {
  const noted: unknown[] = [];
  await collect(failing({ 1: 'DEVICE_REFUSED' }), { noted });
  expect(noted).toEqual([]);
});

it.each([
  ['as often as it would be read', 60_000, ['1', '3']],
  ['more rarely', 60_001, ['1', '2', '3']],
])('a point that its device reports %s is left out, or read', async (_how, sinceMs, read) => {
  const driver: Driver = {
    ...failing({}),
    reportedMs: (_device, { id }) => (id === '2' ? sinceMs : null),
  };
  expect((await collect(driver)).map(([id]) => id)).toEqual(read);
});

it('the points that are read together are not read again, the others are', async () => {
  const driver: Driver = {
    ...failing({ 3: 'DEVICE_REFUSED' }),
    readMany: async () => new Map([['1', { rawValue: '8', originTime: 1 }]]),
  };
  expect(await collect(driver)).toEqual([
    ['1', '8', 0],
    ['2', '1.5', 0],
    ['3', '', 2, 'no'],
  ]);
});

it('a device is left alone for a failure that says silence by itself, whatever its code', async () => {
  const driver = failing({});
  const read: Driver['read'] = async (given, point, deadline) => {
    if (point.id === '2') throw new DriverFailure('LINK_LOST', 'no', 'FAILED', undefined, true);
    return driver.read(given, point, deadline);
  };
  expect(await collect({ ...driver, read })).toEqual([['1', '1.5', 0]]);
});

it.each([
  ['silent', failure.silent(), [['1', '1.5', 0]]],
  ['offline', failure.offline('no way'), [['1', '1.5', 0]]],
  [
    'refused',
    failure.refused('no'),
    [
      ['1', '1.5', 0],
      ['2', '', 2, 'no'],
      ['3', '1.5', 0],
    ],
  ],
  [
    'invalid',
    failure.invalid('no'),
    [
      ['1', '1.5', 0],
      ['2', '', 2, 'no'],
      ['3', '1.5', 0],
    ],
  ],
  [
    'misconfigured',
    failure.misconfigured('no'),
    [
      ['1', '1.5', 0],
      ['2', '', 2, 'no'],
      ['3', '1.5', 0],
    ],
  ],
])('a failure that is %s has its meaning in the collection', async (_name, error, values) => {
  const driver = failing({});
  const read: Driver['read'] = async (given, point, deadline) => {
    if (point.id === '2') throw error;
    return driver.read(given, point, deadline);
  };
  expect(await collect({ ...driver, read })).toEqual(values);
});

it('a failure of another copy of the class is one', () => {
  const mark = Symbol.for('device-data-platform.DriverFailure');
  const theirs = Object.assign(new Error('no'), { [mark]: true, code: 'TIMEOUT' });
  expect(theirs instanceof DriverFailure).toBe(true);
  expect(new Error('no') instanceof DriverFailure).toBe(false);
});

it('a device that is silent when its points are read together is left alone', async () => {
  const driver: Driver = {
    ...failing({}),
    readMany: async () => {
      throw new DriverFailure('TIMEOUT', 'no');
    },
  };
  expect(await collect(driver)).toEqual([]);
});

it('a device that sleeps is read when it wakes, once in an interval, and not by the schedule', async () => {
  const clock = new TestClock();
  const reads: string[] = [];
  let isAwake = true;
  const driver: Driver = {
    ...failing({}),
    read: async (_device, { id }) => {
      reads.push(id);
      return { rawValue: '1.5', originTime: 1 };
    },
    sleeper: () => ({ isAwake, commandLifeMs: 60_000 }),
  };
  const center = await openDriverCenter(clock, driver.code, [device]);
  const { bus } = center;
  const devices = new Map([[device.id, device]]);
  const serving = createServing({ driver, devices, time: createCenterTime(clock), node: 'n' });
  serving.know(device.id, 'n');
  const collector = new Collector({
    driver,
    devices,
    serving,
    lock: new KeyedQueue(clock, { atOnce: 1 }),
    values: createValuePublisher({ bus, clock, driverCode: driver.code, node: 'n' }),
    clock,
    log,
  });
  await collector.run();
  expect(reads).toEqual([]);
  const woken = async (): Promise<number> => {
    collector.woke(device);
    await new Promise((resolve) => setImmediate(resolve));
    return reads.length;
  };
  expect(await woken()).toBe(3);
  await clock.advance(29_999);
  expect(await woken()).toBe(3);
  await clock.advance(1);
  isAwake = false;
  expect(await woken()).toBe(3);
  isAwake = true;
  expect(await woken()).toBe(6);
  collector.stop();
  await bus.close();
});
