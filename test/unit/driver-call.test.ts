import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { openCommandStore } from '../../driver/sdk/command/store.ts';
import { type Driver, DriverFailure } from '../../driver/sdk/driver.ts';
import { startDriver } from '../../driver/sdk/host/host.ts';
import { answerCall } from '../../driver/virtual/call.ts';
import type { Payload } from '../../src/bus/topic/topics.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import {
  type DriverCenter,
  driverDevice,
  openDriverCenter,
} from '../support/devices/driver-center.ts';
import { TestClock } from '../support/world/clock.ts';
import { until } from '../support/world/until.ts';

const log = createLog('silent');
const device = {
  ...driverDevice({}, []),
  commands: [{ id: '7', code: 'purge', configs: { verb: 'flush' } }],
};
type Result = Payload<'svc.e.command_result'>;

describe('a call of a custom command', () => {
  let dataDir: string;
  let clock: TestClock;
  let center: DriverCenter;
  let results: Result[];
  const started: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'call-'));
    clock = new TestClock();
    center = await openDriverCenter(clock, 'FieldDriver', [device]);
    results = [];
    const options = { queue: 'test-results', key: '#' };
    await center.bus.subscribe('svc.e.command_result', options, async (result) => {
      results.push(result);
    });
  });
  afterEach(async () => {
    for (const stop of started.splice(0)) await stop();
    await center.bus.close();
    await rm(dataDir, { recursive: true });
  });

  async function host(call?: Driver['call'], doubt?: Driver['doubt']) {
    const driver: Driver = {
      code: 'FieldDriver',
      name: 'Field Driver',
      type: 'DRIVER_CLIENT',
      driverAttributes: [],
      pointAttributes: [],
      readCron: '0/30 * * * * ?',
      start: async () => {},
      status: () => ({ status: 'ONLINE', description: '' }),
      read: async () => ({ rawValue: '1', originTime: 1 }),
      write: async () => {},
      stop: async () => {},
      ...(call ? { call } : {}),
      ...(doubt ? { doubt } : {}),
    };
    const running = await startDriver(driver, { bus: center.bus, clock, log, node: 'n1', dataDir });
    started.push(() => running.stop());
    await until(() => expect(running.devices().size).toBe(1));
  }

  async function send(overrides: Partial<Payload<'svc.e.command'>> = {}): Promise<string> {
    const recordId = randomUUID();
    const message = {
      schemaVersion: 1,
      recordId,
      tenantId: '1',
      deviceId: '1',
      commandId: '7',
      commandCode: 'purge',
      paramValues: { volume: '5' },
      occurredAt: clock.now(),
      expireAt: clock.now() + 30_000,
      remainingMs: 30_000,
      ...overrides,
    } as const;
    await center.bus.publish('svc.e.command', message, { key: 'FieldDriver' });
    return message.recordId;
  }
  const result = (recordId: string): Promise<Result> =>
    until(() => {
      const found = results.find((one) => one.recordId === recordId);
      if (!found) throw new Error('no result yet');
      return found;
    });

  it('reaches the driver with configs and parameters, and answers its values', async () => {
    await host(async (_device, { configs }, params) => ({
      done: `${configs['verb']} ${params['volume']}`,
    }));
    expect(await result(await send())).toMatchObject({
      status: 'SUCCESS',
      resultValues: { done: 'flush 5' },
    });
  });

  it('that a device in doubt answered is UNKNOWN', async () => {
    const changed = { code: 'PEER_CHANGED', message: 'another address' };
    await host(
      async () => ({ done: 'yes' }),
      () => changed,
    );
    expect(await result(await send())).toMatchObject({
      status: 'UNKNOWN',
      errorCode: 'PEER_CHANGED',
      errorMessage: 'another address',
      resultValues: { done: 'yes' },
    });
  });

  it('of a driver without commands ends FAILED with UNSUPPORTED', async () => {
    await host();
    expect(await result(await send())).toMatchObject({
      status: 'FAILED',
      errorCode: 'UNSUPPORTED',
    });
  });

  it.each([
    ['FAILED', 'DEVICE_REFUSED', new DriverFailure('DEVICE_REFUSED', 'no')],
    ['UNKNOWN', 'DRIVER_ERROR', new TypeError('a mistake in a driver')],
  ])('ends %s with %s when the driver says so', async (status, errorCode, error) => {
    await host(() => Promise.reject(error));
    expect(await result(await send())).toMatchObject({ status, errorCode });
  });

  it.each([
    ['EXPIRED', 'EXPIRED', { expireAt: 0 }],
    ['FAILED', 'COMMAND_UNKNOWN', { commandId: '8' }],
    ['FAILED', 'DEVICE_UNKNOWN', { tenantId: '2' }],
  ])('ends %s with %s and is not done', async (status, errorCode, overrides) => {
    const call = vi.fn<NonNullable<Driver['call']>>(async () => ({}));
    await host(call);
    expect(await result(await send(overrides))).toMatchObject({ status, errorCode });
    expect(call).not.toHaveBeenCalled();
  });

  it('that was under way when the driver crashed is not done again and ends UNKNOWN', async () => {
    const recordId = randomUUID();
    const file = join(dataDir, 'calls-FieldDriver-n1.log');
    const store = await openCommandStore(file, () => clock.now());
    await store.start({ commandId: recordId, tenantId: '1', at: clock.now() });
    await store.close();
    await host(async () => ({}));
    expect(await result(recordId)).toMatchObject({ errorCode: 'DRIVER_RESTARTED' });
  });
});

describe('the virtual driver', () => {
  const call = (responseTemplate: string) =>
    answerCall(
      { id: '7', code: 'purge', configs: { payloadTemplate: 'v=${v}', responseTemplate } },
      { v: 'a"b' },
    );

  it('answers what it was sent and its template, text of parameters kept inside its quotes', () => {
    expect(call('{"is": "${v}", "n": 1}')).toEqual({ payload: 'v=a"b', is: 'a"b', n: '1' });
  });

  it.each(['[]', '1', '{'])('refuses a template that is no JSON object: %s', (template) => {
    expect(() => call(template)).toThrow(DriverFailure);
  });
});
