import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createMqttDriver } from '../../../driver/mqtt/driver.ts';
import type { DriverDevice } from '../../../driver/sdk/driver.ts';
import { type RunningDriver, startDriver } from '../../../driver/sdk/host/host.ts';
import { systemClock as clock } from '../../../src/kernel/clock.ts';
import { createLog } from '../../../src/kernel/process/log.ts';
import { type DriverCenter, openDriverCenter } from '../devices/driver-center.ts';

const log = createLog('silent');

export type MqttBench = {
  center: DriverCenter;
  status(): { status: string; description: string };
  /** Stops the driver; its files stay. */
  away(): Promise<void>;
  /** Starts it again with what an earlier one left. */
  back(): Promise<void>;
  write(value: string, pointId?: string): ReturnType<DriverCenter['result']>;
  stop(): Promise<void>;
};

/** An MQTT driver that serves one device through a broker on loopback, by the real clock. */
export async function openMqttBench(
  device: DriverDevice,
  { allow, node = 'n1' }: { allow: readonly string[]; node?: string },
): Promise<MqttBench> {
  const dataDir = await mkdtemp(join(tmpdir(), 'mqtt-'));
  const make = () => createMqttDriver({ clock, log, dataDir, egressAllow: allow });
  let driver = make();
  const center = await openDriverCenter(clock, driver.code, [device]);
  const { bus } = center;
  let running: RunningDriver | null = null;
  const bench: MqttBench = {
    center,
    status: () => driver.status(device),
    async away() {
      await running?.stop();
      running = null;
    },
    async back() {
      driver = make();
      running = await startDriver(driver, { bus, clock, log, node, dataDir });
    },
    async write(value, pointId = '1') {
      const { commandId } = await center.send({
        commandId: randomUUID(),
        type: 'WRITE',
        pointId,
        value,
        expireAt: clock.now() + 3_000,
        remainingMs: 3_000,
      });
      return center.result(commandId);
    },
    async stop() {
      await bench.away();
      await bus.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  await bench.back();
  return bench;
}
