import { expect, it } from 'vitest';

import { createReportBuffer, type Reported } from '../../driver/sdk/values.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { driverDevice } from '../support/devices/driver-center.ts';
import { TestClock } from '../support/world/clock.ts';

const reportedBy = (id: string): Reported => {
  const device = driverDevice({}, [{ id: '1', code: 'a' }], id);
  const [point] = device.points;
  if (!point) throw new Error('no point');
  return { device, point, reading: { rawValue: '1', originTime: 1 } };
};

it('a device that reports without end leaves room for the others', async () => {
  const published: Reported[] = [];
  const blocked = Promise.withResolvers<void>();
  const values = {
    publish: async (batch: readonly Reported[]) => {
      published.push(...batch);
      await blocked.promise;
    },
  };
  const log = createLog('silent');
  const reports = createReportBuffer({ values, clock: new TestClock(), log });
  const [loud, quiet] = [reportedBy('1'), reportedBy('2')];
  for (let times = 0; times < 20_000; times++) reports.add(loud);
  reports.add(quiet);
  blocked.resolve();
  await reports.close();
  const of = (id: string) => published.filter(({ device }) => device.id === id).length;
  expect([of('1'), of('2')]).toEqual([2_500, 1]);
});
