import { beforeEach, describe, expect, it } from 'vitest';

import {
  createObjectReport,
  type ObjectReport,
} from '../../driver/lwm2m/registration/object-report.ts';
import type { Registration } from '../../driver/lwm2m/registration/registration.ts';
import type { RegisteredDevice } from '../../driver/sdk/driver.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { driverDevice } from '../support/devices/driver-center.ts';
import { TestClock } from '../support/world/clock.ts';

const registration = (objects: string[], deviceId = '1'): Registration => ({
  id: 'a',
  endpoint: `urn:dev:${deviceId}`,
  deviceId,
  peer: { address: '127.0.0.1', port: 5683 },
  version: '1.1',
  queueMode: false,
  lifetimeS: 60,
  expiresAt: 60_000,
  heardAt: 0,
  contentFormats: [],
  root: [],
  objects,
  leftOut: 0,
  objectsAt: 7,
});

describe('what devices registered', () => {
  let clock: TestClock;
  let synced: boolean;
  let fails: boolean;
  let told: [string, string[]][][];
  let report: ObjectReport;
  const devices = new Map(['1', '2'].map((id) => [id, driverDevice({}, [], id)]));

  const open = (restored: Registration[] = []) =>
    createObjectReport({
      restored,
      host: {
        devices: () => devices,
        synced: () => synced,
        async registered(said: readonly RegisteredDevice[]) {
          if (fails) throw new Error('no bus');
          told.push(said.map(({ device, objects }) => [device.id, objects]));
        },
      },
      clock,
      log: createLog('silent'),
    });

  beforeEach(() => {
    clock = new TestClock();
    synced = true;
    fails = false;
    told = [];
    report = open();
  });

  it('is told within a second, several devices at once, and unchanged objects once', async () => {
    report.registered(registration(['3/0']));
    report.registered(registration(['3/0', '3303/0'], '2'));
    await clock.advance(1_000);
    report.registered(registration(['3/0']));
    await clock.advance(5_000);
    expect(told).toEqual([
      [
        ['1', ['3/0']],
        ['2', ['3/0', '3303/0']],
      ],
    ]);
  });

  it('is told anew when the objects change, and when the device was another one meanwhile', async () => {
    report.registered(registration(['3/0']));
    await clock.advance(1_000);
    report.registered(registration(['3/0', '3303/0']));
    await clock.advance(1_000);
    report.forget('1');
    report.registered(registration(['3/0', '3303/0']));
    await clock.advance(1_000);
    expect(told.map(([first]) => first?.[1].length)).toEqual([1, 2, 2]);
  });

  it('is told again until the platform has it', async () => {
    fails = true;
    report.registered(registration(['3/0']));
    await clock.advance(3_000);
    fails = false;
    await clock.advance(1_000);
    expect(told).toEqual([[['1', ['3/0']]]]);
  });

  it('is told after a restart without a word of the device, once all devices are known', async () => {
    synced = false;
    report = open([registration(['3/0']), registration(['3/0'], '9')]);
    await clock.advance(2_000);
    expect(told).toEqual([]);
    synced = true;
    await clock.advance(1_000);
    // Device 9 is none of this driver.
    expect(told).toEqual([[['1', ['3/0']]]]);
  });

  it('is told of 500 devices at once at most', async () => {
    for (let id = 0; id < 700; id += 1) {
      devices.set(`${id}`, driverDevice({}, [], `${id}`));
      report.registered(registration(['3/0'], `${id}`));
    }
    await clock.advance(2_000);
    expect(told.map((rows) => rows.length)).toEqual([500, 200]);
  });
});
