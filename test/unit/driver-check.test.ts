import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { CheckedDevice } from '../../driver/package/check-file.ts';
import { checkDriver } from '../../driver/package/check.ts';
import { attribute } from '../../driver/sdk/attribute.ts';
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

const about = async (driver: Driver, device = checked) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'driver-check-'));
  try {
    const results = await checkDriver(driver, { checked: device, dataDir });
    return results.flatMap(({ name, problem }) => (problem === null ? [] : [name, problem]));
  } finally {
    await rm(dataDir, { recursive: true });
  }
};

it('waits for a point that only reports, and finds one that is read all the same', async () => {
  expect(await about(reporting())).toEqual([]);
  expect(await about({ ...reporting(), reportsOnly: () => false })).toEqual([
    'takes what the device sends by itself, and does not read it',
    'alert: SUCCESS  in place of FAILED REPORTS_ONLY',
  ]);
});

const port = attribute('port', 'INT', '502', '', { min: 1, max: 65_535 });
const place = attribute('host', 'STRING', '', '', { required: true });

it.each([
  ['a setting below its range', [place, port], { host: 'h', port: '0' }, 'port must be 1 to 65535'],
  ['no setting that is required', [place, port], {}, 'host must not be empty'],
  ['an unknown setting', [place], { host: 'h', unit: '1' }, 'there is no attribute unit'],
  [
    'a default outside of its range',
    [{ ...port, min: 503 }],
    {},
    'driverAttributes: port must be 503 to 65535',
  ],
  ['an empty range', [{ ...port, max: 0 }], {}, 'driverAttributes: port min must not be above max'],
  [
    'a range of text',
    [{ ...place, min: 1 }],
    { host: 'h' },
    'driverAttributes: host a STRING has no range',
  ],
  ['nothing wrong', [place, port], { host: 'h', port: '65535' }, null],
])('finds %s in the attributes of a driver', async (_what, driverAttributes, configs, problem) => {
  const check = 'declares attributes that make sense, and takes the settings of the device';
  const found = await about(
    { ...reporting(), driverAttributes },
    CheckedDevice.parse({ ...checked, configs }),
  );
  expect(found).toEqual(problem === null ? [] : [check, problem]);
});

it('waits for an event that the device reports', async () => {
  let host: DriverHost | null = null;
  const happening = (code: string): Driver => ({
    ...reporting(),
    eventAttributes: [attribute('topic', 'STRING', '', '')],
    start: async (given) => void (host = given),
    deviceChanged: (device) =>
      void host?.happened(device, { event: code, occurTime: 1, id: 'once', params: { a: '1' } }),
    reportsOnly: () => false,
  });
  const device = CheckedDevice.parse({
    points: [{ code: 'alert', type: 'INT' }],
    events: [{ code: 'leak', configs: { topic: 'x' } }],
  });
  expect(await about(happening('leak'), device)).toEqual([]);
});
