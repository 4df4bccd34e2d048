import { beforeEach, describe, expect, it } from 'vitest';

import {
  createWaitingEndpoints,
  type WaitingEndpoints,
} from '../../driver/lwm2m/registration/waiting-endpoints.ts';
import type { WaitingEndpoint } from '../../driver/sdk/driver.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { driverDevice } from '../support/devices/driver-center.ts';
import { TestClock } from '../support/world/clock.ts';

const DAY_MS = 86_400_000;
const clear = (address: string) => ({ address, port: 5683 });
const proven = (deviceId: string) => ({
  ...clear('192.0.2.1'),
  proven: { session: 's', deviceId },
});

describe('endpoints that no device has', () => {
  let clock: TestClock;
  let fails: boolean;
  let told: WaitingEndpoint[][];
  let waiting: WaitingEndpoints;
  const devices = new Map([['1', driverDevice({}, [], '1')]]);
  const endpoints = () => told.flat().map(({ endpoint }) => endpoint);

  beforeEach(() => {
    clock = new TestClock();
    fails = false;
    told = [];
    waiting = createWaitingEndpoints({
      host: {
        devices: () => devices,
        async waiting(list) {
          if (fails) throw new Error('no bus');
          told.push([...list]);
        },
      },
      clock,
      log: createLog('silent'),
    });
  });

  it('are reported with their address, their times and how often they tried', async () => {
    const since = clock.now();
    waiting.refused('urn:a', clear('192.0.2.1'));
    await clock.advance(1_000);
    waiting.refused('urn:a', clear('::ffff:192.0.2.9'));
    await clock.advance(10_000);
    const last = since + 1_000;
    expect(told).toEqual([[{ endpoint: 'urn:a', host: '192.0.2.9', since, last, attempts: 2 }]]);
  });

  it('are reported with the device whose key they proved, if it is still there', async () => {
    waiting.refused('urn:a', proven('1'));
    waiting.refused('urn:a', clear('192.0.2.1'));
    waiting.refused('urn:b', proven('9'));
    await clock.advance(5_000);
    expect(told).toMatchObject([
      [{ endpoint: 'urn:a', key: { tenantId: '1', deviceId: '1' } }, { endpoint: 'urn:a' }],
    ]);
    expect(told[0]?.[1]).not.toHaveProperty('key');
  });

  it('are reported 200 at once, and again until the platform has them', async () => {
    fails = true;
    for (let n = 0; n < 250; n += 1) waiting.refused(`urn:${n}`, clear(`192.0.2.${n % 25}`));
    await clock.advance(5_000);
    fails = false;
    await clock.advance(10_000);
    expect(told.map(({ length }) => length)).toEqual([200, 50]);
    expect(new Set(endpoints()).size).toBe(250);
  });

  it('displace no proven ones, and of one address no more than 50 are kept', async () => {
    waiting.refused('urn:mine', proven('1'));
    for (let n = 0; n < 60; n += 1) waiting.refused(`urn:one:${n}`, clear('192.0.2.1'));
    await clock.advance(5_000);
    expect(endpoints()).toHaveLength(51);
    expect(endpoints()).toContain('urn:mine');
    expect(endpoints()).not.toContain('urn:one:9');
    told = [];
    for (let n = 0; n < 3_000; n += 1)
      waiting.refused(`urn:many:${n}`, clear(`10.0.${n >> 8}.${n & 255}`));
    waiting.refused('urn:mine', proven('1'));
    await clock.advance(60_000);
    expect(endpoints()).toHaveLength(1_001);
    expect(told.flat().find(({ endpoint }) => endpoint === 'urn:mine')?.attempts).toBe(2);
  });

  it('begin anew after a day of silence, when there is another', async () => {
    waiting.refused('urn:a', clear('192.0.2.1'));
    await clock.advance(DAY_MS + 1);
    waiting.refused('urn:b', clear('192.0.2.1'));
    waiting.refused('urn:a', clear('192.0.2.1'));
    await clock.advance(5_000);
    expect(told.at(-1)?.find(({ endpoint }) => endpoint === 'urn:a')?.attempts).toBe(1);
  });

  it('are left out where no device could have their name', async () => {
    waiting.refused('x'.repeat(256), clear('192.0.2.1'));
    waiting.refused('a\0b', clear('192.0.2.1'));
    await clock.advance(5_000);
    expect(told).toEqual([]);
  });
});
