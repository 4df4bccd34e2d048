import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { drivers } from '../../driver/index.ts';
import type { Driver } from '../../driver/sdk/driver.ts';
import { startDriver } from '../../driver/sdk/host/host.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { readSettings } from '../../src/start/settings.ts';
import { openDriverCenter } from '../support/devices/driver-center.ts';
import { TestClock } from '../support/world/clock.ts';

const log = createLog('silent');
const { drivers: settings } = readSettings({});

/** docs/specification/drivers.md, Custom job. */
describe('the custom job of a driver', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'custom-'));
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  it('runs every 5 s where a driver has one, and never again once it stopped', async () => {
    const clock = new TestClock(Date.parse('2026-01-05T08:00:01.000Z'));
    const runs: number[] = [];
    const driver: Driver = {
      ...drivers['driver-virtual'].create({ clock, log, dataDir, settings }),
      custom: async () => void runs.push(new Date(clock.now()).getUTCSeconds()),
    };
    const center = await openDriverCenter(clock, driver.code, []);
    const running = await startDriver(driver, { bus: center.bus, clock, log, node: 'n1', dataDir });
    await clock.advance(21_000);
    await running.stop();
    await clock.advance(21_000);
    expect(runs).toEqual([5, 10, 15, 20]);
    expect(clock.pending).toBe(0);
    await center.bus.close();
  });

  it('is every 5 s for LwM2M', () => {
    const clock = new TestClock();
    const driver = drivers['driver-lwm2m'].create({ clock, log, dataDir, settings });
    expect(driver).toMatchObject({ readCron: '0/30 * * * * ?', customCron: '0/5 * * * * ?' });
    expect(driver.custom).toBeDefined();
  });
});
