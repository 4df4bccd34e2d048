import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Driver, DriverDevice } from '../../../driver/sdk/driver.ts';
import { startDriver } from '../../../driver/sdk/host/host.ts';
import type { DeviceEvent, DeviceOptions } from '../../../driver/simulator/contract.ts';
import { startDevice } from '../../../driver/simulator/device.ts';
import { type Clock, systemClock } from '../../../src/kernel/clock.ts';
import { createLog } from '../../../src/kernel/process/log.ts';
import { lwm2mDriver } from '../lwm2m/lwm2m-driver.ts';
import { eventually } from '../world/eventually.ts';
import { openDriverCenter } from './driver-center.ts';

const log = createLog('silent');

type Simulated = Partial<
  Pick<DeviceOptions, 'endpoint' | 'lifetimeS' | 'psk' | 'queue' | 'firmware' | 'network'>
>;

/** The LwM2M driver on its host with a stand-in for the centers, and simulated devices beside it. */
export async function openLwm2mBench(clock: Clock = systemClock) {
  const dataDir = await mkdtemp(join(tmpdir(), 'lwm2m-'));
  const cleanup: (() => unknown)[] = [];

  return {
    cleanup: (done: () => unknown) => void cleanup.push(done),
    async serve(devices: readonly DriverDevice[], port = 0) {
      const driver = lwm2mDriver({ port, clock, log, dataDir });
      const center = await openDriverCenter(clock, driver.code, devices);
      const options = { bus: center.bus, clock, log, node: 'n1', dataDir };
      const running = await startDriver(driver, options);
      const stop = async () => {
        await running.stop();
        await center.bus.close();
      };
      cleanup.push(stop);
      await eventually(async () => running.registered(), Boolean);
      return { driver, center, stop };
    },
    async simulate(
      driver: { port(): number; securePort(): number },
      onEvent: (event: DeviceEvent) => void = () => {},
      { endpoint = 'urn:dev:1', ...how }: Simulated = {},
    ) {
      const port = how.psk ? driver.securePort() : driver.port();
      const server = { host: '127.0.0.1', port };
      const simulated = await startDevice({
        endpoint,
        server,
        lifetimeS: 3600,
        log,
        clock,
        onEvent,
        ...how,
      });
      cleanup.push(() => simulated.stop());
      return simulated;
    },
    reaches: (driver: Driver, device: DriverDevice, wanted: 'ONLINE' | 'OFFLINE') =>
      eventually(
        async () => driver.status(device).status,
        (status) => status === wanted,
      ),
    async close() {
      for (const done of cleanup.splice(0).toReversed()) await done();
      await rm(dataDir, { recursive: true });
    },
  };
}
export type Lwm2mBench = Awaited<ReturnType<typeof openLwm2mBench>>;
