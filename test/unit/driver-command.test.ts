import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { type Driver, DriverFailure, type Reading } from '../../driver/sdk/driver.ts';
import { startDriver } from '../../driver/sdk/host/host.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import {
  type DriverCenter,
  driverDevice,
  openDriverCenter,
} from '../support/devices/driver-center.ts';
import { TestClock } from '../support/world/clock.ts';
import { until } from '../support/world/until.ts';

const log = createLog('silent');
const device = driverDevice({}, [
  { id: '1', code: 'a', rw: 'READ_WRITE', multiple: 0.1 },
  { id: '2', code: 'b', rw: 'WRITE_ONLY' },
]);
const write = { type: 'WRITE', pointId: '1', value: '21.5' } as const;

/** A protocol whose device is a handful of functions. */
function fieldbus(behaviour: Partial<Pick<Driver, 'read' | 'write'>> = {}) {
  const calls: string[] = [];
  const driver: Driver = {
    code: 'FieldDriver',
    name: 'Field Driver',
    type: 'DRIVER_CLIENT',
    driverAttributes: [],
    pointAttributes: [],
    readCron: '0/30 * * * * ?',
    start: async () => {},
    status: () => ({ status: 'ONLINE', description: '' }),
    read: async (...given) => {
      calls.push('read');
      return (await behaviour.read?.(...given)) ?? { rawValue: '215', originTime: 1 };
    },
    write: async (...given) => {
      calls.push(`write ${given[2]}`);
      await behaviour.write?.(...given);
    },
    stop: async () => {},
  };
  return { driver, calls };
}

describe('a command', () => {
  let dataDir: string;
  let clock: TestClock;
  let center: DriverCenter;
  const started: (() => Promise<void>)[] = [];

  const host = async (driver: Driver) => {
    const options = { bus: center.bus, clock, log, node: 'n1', dataDir };
    const running = await startDriver(driver, options);
    started.push(() => running.stop());
    await until(() => expect(running.devices().size).toBe(1));
    return running;
  };

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'command-'));
    clock = new TestClock();
    center = await openDriverCenter(clock, 'FieldDriver', [device]);
  });
  afterEach(async () => {
    for (const stop of started.splice(0)) await stop();
    await center.bus.close();
    await rm(dataDir, { recursive: true });
  });

  it('is written unscaled and read back scaled', async () => {
    const { driver, calls } = fieldbus();
    await host(driver);
    const { commandId } = await center.send(write);
    expect(await center.result(commandId)).toMatchObject({ status: 'SUCCESS', readBack: '21.5' });
    expect(calls).toEqual(['write 215', 'read']);
  });

  it.each(['WRITE', 'READ'] as const)(
    'to %s ends EXPIRED at its time behind one that takes longer, and nothing is sent',
    async (type) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      started.push(async () => resolve());
      const { driver, calls } = fieldbus({ write: () => promise });
      await host(driver);
      await center.send({ ...write, expireAt: clock.now() + 30_000, remainingMs: 30_000 });
      await until(() => expect(calls).toEqual(['write 215']));
      const { commandId } = await center.send({ ...write, type });
      await clock.advance(10_100);
      // The one before it has 20 seconds left.
      expect(await center.result(commandId)).toMatchObject({ status: 'EXPIRED' });
      resolve();
      await clock.advance(1_000);
      expect(calls).toEqual(['write 215', 'read']);
    },
  );

  it('to read a device in doubt says the doubt beside what was answered', async () => {
    const { driver } = fieldbus();
    await host({ ...driver, doubt: () => ({ code: 'PEER_CHANGED', message: 'another address' }) });
    const { commandId } = await center.send({ pointId: '1' });
    expect(await center.result(commandId)).toMatchObject({
      status: 'SUCCESS',
      responseValue: '21.5',
      errorCode: 'PEER_CHANGED',
      errorMessage: 'another address',
    });
  });

  it('to a write-only point is not read back', async () => {
    const { driver, calls } = fieldbus();
    await host(driver);
    const { commandId } = await center.send({ ...write, pointId: '2' });
    expect(await center.result(commandId)).toMatchObject({ status: 'SUCCESS', readBack: null });
    expect(calls).toEqual(['write 21.5']);
  });

  it.each([
    ['FAILED', 'DEVICE_REFUSED', new DriverFailure('DEVICE_REFUSED', 'no')],
    ['UNKNOWN', 'TIMEOUT', new DriverFailure('TIMEOUT', 'no answer', 'UNKNOWN')],
    ['UNKNOWN', 'DRIVER_ERROR', new TypeError('a mistake in a driver')],
  ])('ends %s when writing fails with %s', async (status, errorCode, error) => {
    const { driver } = fieldbus({
      write: () => Promise.reject(error),
      read: async () => ({ rawValue: '1', originTime: 1 }),
    });
    await host(driver);
    const { commandId } = await center.send(write);
    expect(await center.result(commandId)).toMatchObject({
      status,
      errorCode,
      responseValue: null,
    });
  });

  it('ends UNKNOWN when the device refuses the value and then holds it', async () => {
    const refusal = new DriverFailure('DEVICE_REFUSED', 'no');
    const { driver } = fieldbus({ write: () => Promise.reject(refusal) });
    await host(driver);
    const { commandId } = await center.send(write);
    expect(await center.result(commandId)).toMatchObject({
      status: 'UNKNOWN',
      errorCode: 'DEVICE_REFUSED',
    });
  });

  it('ends FAILED when the device refuses the value and does not say what it holds', async () => {
    const { driver } = fieldbus({
      write: () => Promise.reject(new DriverFailure('DEVICE_REFUSED', 'no')),
      read: () => Promise.reject(new DriverFailure('TIMEOUT', 'no')),
    });
    await host(driver);
    const { commandId } = await center.send(write);
    expect(await center.result(commandId)).toMatchObject({ status: 'FAILED' });
  });

  it('succeeds without read-back when only the read-back fails, and says why', async () => {
    const { driver } = fieldbus({ read: () => Promise.reject(new DriverFailure('TIMEOUT', 'no')) });
    await host(driver);
    const { commandId } = await center.send(write);
    expect(await center.result(commandId)).toMatchObject({
      status: 'SUCCESS',
      readBack: null,
      errorCode: 'READ_BACK_FAILED',
      errorMessage: expect.stringContaining('TIMEOUT'),
    });
  });

  it.each<[string | null, () => Promise<Reading>]>([
    ['NaN', async () => ({ rawValue: 'NaN', originTime: 1 })],
    ['', async () => ({ rawValue: '', originTime: 1 })],
    ['', async () => ({ rawValue: '', originTime: 1, invalid: true })],
    [null, () => Promise.reject(new DriverFailure('VALUE_INVALID', 'another instance'))],
  ])('names a read-back that contradicts: %j', async (readBack, read) => {
    const { driver } = fieldbus({ read });
    await host(driver);
    const { commandId } = await center.send(write);
    expect(await center.result(commandId)).toMatchObject({
      status: 'SUCCESS',
      readBack,
      errorCode: 'READ_BACK_INVALID',
    });
  });

  it('fails when the device says what is no value of the point', async () => {
    const { driver } = fieldbus({ read: async () => ({ rawValue: 'NaN', originTime: 1 }) });
    await host(driver);
    const { commandId } = await center.send({ pointId: '1' });
    expect(await center.result(commandId)).toMatchObject({
      status: 'FAILED',
      errorCode: 'VALUE_INVALID',
    });
    expect(center.values).toMatchObject([{ rawValue: 'NaN', quality: 2, numValue: null }]);
  });

  it('ends UNKNOWN when its driver does not keep the deadline', async () => {
    const { driver, calls } = fieldbus({ write: () => new Promise(() => {}) });
    await host(driver);
    const { commandId } = await center.send(write);
    await until(() => expect(calls).toHaveLength(1));
    await clock.advance(12_000);
    expect(await center.result(commandId)).toMatchObject({
      status: 'UNKNOWN',
      errorCode: 'TIMEOUT',
    });
  });

  it('waits for the one before it on the same device, and expires meanwhile', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { driver, calls } = fieldbus({ write: () => promise });
    await host(driver);
    const expireAt = clock.now() + 60_000;
    const first = await center.send({ ...write, expireAt, remainingMs: 60_000 });
    await until(() => expect(calls).toHaveLength(1));
    const second = await center.send({ ...write, value: '30' });
    await clock.advance(10_000);
    resolve();
    expect(await center.result(first.commandId)).toMatchObject({ status: 'SUCCESS' });
    expect(await center.result(second.commandId)).toMatchObject({ status: 'EXPIRED' });
    expect(calls).toEqual(['write 215', 'read']);
  });

  it('that was under way when the process ended is never executed again and ends UNKNOWN', async () => {
    const cut = fieldbus({ write: () => new Promise(() => {}) });
    await host(cut.driver);
    const command = await center.send(write);
    await until(() => expect(cut.calls).toEqual(['write 215']));
    // Its process is gone as far as the next one can see: same data, nothing finished.
    const next = fieldbus();
    const other = await openDriverCenter(clock, 'FieldDriver', [device]);
    const options = { bus: other.bus, clock, log, node: 'n1', dataDir };
    const restarted = await startDriver(next.driver, options);
    expect(await other.result(command.commandId)).toMatchObject({
      status: 'UNKNOWN',
      errorCode: 'DRIVER_RESTARTED',
    });
    await other.send(command);
    await until(() => expect(other.results).toHaveLength(2));
    expect(other.results[1]).toMatchObject({ status: 'DUPLICATE' });
    expect(next.calls).toEqual([]);
    await restarted.stop();
    await other.bus.close();
    await clock.advance(20_000);
  });

  it('that comes before its device is announced waits for that', async () => {
    const { driver, calls } = fieldbus();
    const { promise, resolve } = Promise.withResolvers<void>();
    const late = await openDriverCenter(clock, 'FieldDriver', [device], promise);
    const options = { bus: late.bus, clock, log, node: 'n1', dataDir };
    const running = await startDriver(driver, options);
    const waiting = clock.pending;
    const command = await late.send(write);
    await until(() => expect(clock.pending).toBeGreaterThan(waiting));
    expect(calls).toEqual([]);
    resolve();
    expect(await late.result(command.commandId)).toMatchObject({ status: 'SUCCESS' });
    await running.stop();
    await late.bus.close();
  });

  it('that is delivered again while it is under way gets one result, the true one', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { driver, calls } = fieldbus({ write: () => promise });
    await host(driver);
    const command = await center.send(write);
    await until(() => expect(calls).toHaveLength(1));
    await center.send(command);
    await clock.advance(100);
    resolve();
    expect(await center.result(command.commandId)).toMatchObject({ status: 'SUCCESS' });
    await clock.advance(1000);
    expect(center.results).toHaveLength(1);
    expect(calls).toEqual(['write 215', 'read']);
  });
});

describe('a host', () => {
  it('registers until it is answered, ever more rarely', async () => {
    const clock = new TestClock();
    const dataDir = await mkdtemp(join(tmpdir(), 'command-'));
    const deaf = await openDriverCenter(clock, 'OtherDriver', []);
    const heard: number[] = [];
    await deaf.bus.subscribe(
      'svc.e.driver_register',
      { queue: 'q', key: 'FieldDriver' },
      async () => {
        heard.push(clock.now());
      },
    );
    const options = { bus: deaf.bus, clock, log, node: 'n1', dataDir };
    const running = await startDriver(fieldbus().driver, options);
    await clock.advance(120_000);
    await running.stop();
    const gaps = heard.slice(1).map((at, i) => at - (heard[i] ?? 0));
    expect(gaps).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    expect(clock.pending).toBe(0);
    await deaf.bus.close();
    await rm(dataDir, { recursive: true });
  });
});
