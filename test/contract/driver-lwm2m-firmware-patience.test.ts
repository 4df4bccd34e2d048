import { randomBytes } from 'node:crypto';

import { beforeAll, describe, expect, it, vi } from 'vitest';

import { imageOf, newFlash } from '../../driver/simulator/firmware.ts';
import { driverDevice } from '../support/devices/driver-center.ts';
import { openLwm2mBench } from '../support/devices/lwm2m-bench.ts';
import { openFirmwareUpdate } from '../support/lwm2m/firmware-center.ts';
import {
  patientCases,
  patientUpdate,
  type PatientVerdict,
} from '../support/runs/firmware/patient.ts';
import { FastClock } from '../support/world/shifted-clock.ts';

describe('an update of a device', () => {
  /** They wait for most of their time, and so all at once. */
  let verdicts: ReadonlyMap<string, Promise<PatientVerdict>>;
  beforeAll(() => {
    verdicts = new Map(patientCases.map((given) => [given.name, patientUpdate(given)]));
    for (const verdict of verdicts.values()) verdict.catch(() => {});
  });

  it.each(patientCases.map(({ name }) => name))(
    'that %s ends as is true of it, with one order to install',
    async (name) => {
      expect((await verdicts.get(name))?.wrong).toEqual([]);
    },
    120_000,
  );

  it('is not given its order again by a driver that was started anew before the answer', async () => {
    const clock = new FastClock(10);
    const bench = await openLwm2mBench(clock);
    try {
      const device = driverDevice({ endpoint: 'urn:dev:1' }, []);
      const image = imageOf('2.0.0', randomBytes(2_000));
      const flash = newFlash('1.0.0');
      const first = await bench.serve([device]);
      const port = first.driver.port();
      const slow = { slowMs: { downloaded: 60_000 }, mute: 'order' } as const;
      await bench.simulate(first.driver, () => {}, { firmware: { flash, ...slow } });
      await bench.reaches(first.driver, device, 'ONLINE');
      const update = openFirmwareUpdate(image, { version: '2.0.0', clock });
      const leave = await update.follow(first.center.bus);
      await vi.waitFor(() => expect(flash.executed).toBe(1), 20_000);
      await leave();
      await first.stop();
      const second = await bench.serve([device], port);
      bench.cleanup(await update.follow(second.center.bus));
      expect(await update.ended).toMatchObject({ end: 'VERIFIED', executions: 1 });
      expect(flash.executed).toBe(1);
    } finally {
      await bench.close();
    }
  });
});
