import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { CheckedDevice } from '../../driver/package/check-file.ts';
import { checkDriver } from '../../driver/package/check.ts';
import type { Driver, DriverHost } from '../../driver/sdk/driver.ts';

const checked = CheckedDevice.parse({
  points: [{ code: 'alert', type: 'INT' }],
  reports: ['alert'],
});

/** It sends its point as soon as it has its device. */
function reporting(): Driver {
  let host: DriverHost | null = null;
  return {
    code: 'ReportingDriver',
    name: 'Reporting',
    type: 'DRIVER_CLIENT',
    driverAttributes: [],
    pointAttributes: [],
    readCron: '0/30 * * * * ?',
    start: async (given) => void (host = given),
    deviceChanged(device) {
      const [point] = device.points;
      const reading = { rawValue: '7', originTime: Date.now(), id: 'one' };
      if (point && host?.serves(device)) void host.deliver([{ device, point, reading }]);
    },
    reportsOnly: () => true,
    status: () => ({ status: 'ONLINE', description: '' }),
    read: async () => ({ rawValue: '7', originTime: Date.now() }),
    write: async () => {},
    stop: async () => {},
  };
}

it('waits for a point that only reports, and finds one that is read all the same', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'driver-check-'));
  const about = async (driver: Driver) => {
    const results = await checkDriver(driver, { checked, dataDir });
    return results.flatMap(({ name, problem }) => (problem === null ? [] : [name, problem]));
  };
  try {
    expect(await about(reporting())).toEqual([]);
    expect(await about({ ...reporting(), reportsOnly: () => false })).toEqual([
      'takes what the device sends by itself, and does not read it',
      'alert: SUCCESS  in place of FAILED REPORTS_ONLY',
    ]);
  } finally {
    await rm(dataDir, { recursive: true });
  }
});
