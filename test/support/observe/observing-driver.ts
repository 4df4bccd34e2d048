import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { DriverDevice, Reading } from '../../../driver/sdk/driver.ts';
import type { Psk } from '../../../driver/simulator/secure-socket.ts';
import { createLog } from '../../../src/kernel/process/log.ts';
import { lwm2mDriver } from '../lwm2m/lwm2m-driver.ts';
import { TestClock } from '../world/clock.ts';
import { until } from '../world/until.ts';
import { type ObservedDevice, openObservedDevice } from './observed-device.ts';

/** Until the driver looks at a device that was just heard. */
const LOOK_MS = 200;

/** The LwM2M driver on a clock moved by hand, without a host around it: what it reports is kept. */
export async function openObservingDriver() {
  const dataDir = await mkdtemp(join(tmpdir(), 'lwm2m-'));
  const clock = new TestClock(Date.parse('2026-01-05T08:00:00.000Z'));
  const devices = new Map<string, DriverDevice>();
  const reported: (Reading & { point: string })[] = [];
  const open: ObservedDevice[] = [];
  let [port, securePort] = [0, 0];

  async function start() {
    const driver = lwm2mDriver({ port, securePort, clock, log: createLog('silent'), dataDir });
    await driver.start({
      devices: () => devices,
      synced: () => true,
      report: (_device, point, reading) => reported.push({ point: point.code, ...reading }),
      deliver: async () => {},
      serves: () => true,
      alarm: async () => {},
      happened: async () => {},
      registered: async () => {},
      waiting: async () => {},
      stateChanged: () => {},
      woke: () => {},
    });
    for (const device of devices.values()) driver.deviceChanged?.(device);
    [port, securePort] = [driver.port(), driver.securePort()];
    return driver;
  }
  let driver = await start();

  return {
    clock,
    reported,
    values: () => reported.map(({ rawValue }) => rawValue),
    driver: () => driver,
    has(device: DriverDevice) {
      devices.set(device.id, device);
      driver.deviceChanged?.(device);
    },
    remove(device: DriverDevice) {
      devices.delete(device.id);
      driver.deviceRemoved?.(device);
    },
    async device(psk?: Psk) {
      const made = await openObservedDevice(psk ? driver.securePort() : driver.port(), psk);
      open.push(made);
      return made;
    },
    /** What the schedule would do, and what follows a message of a device; waits for what is to come of it. */
    async looks(check: () => void) {
      await clock.advance(LOOK_MS);
      await driver.custom?.();
      await until(check);
    },
    async restart() {
      await driver.stop();
      driver = await start();
    },
    async close() {
      for (const device of open) device.close();
      await driver.stop();
      await rm(dataDir, { recursive: true });
    },
  };
}
export type ObservingDriver = Awaited<ReturnType<typeof openObservingDriver>>;
