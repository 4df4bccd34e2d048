import { startDriver } from '../../../driver/sdk/host/host.ts';
import type { Bus } from '../../../src/bus/bus.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { createLog } from '../../../src/kernel/process/log.ts';
import { lwm2mDriver } from '../lwm2m/lwm2m-driver.ts';
import { eventually } from '../world/eventually.ts';

const log = createLog('silent');

export type MortalDriver = {
  port: number;
  devices(): number;
  /** As its process would die: nothing more is said on the bus or to a device, nothing is written down. */
  kill(): Promise<void>;
};

/** The LwM2M driver in a host of its own, on the bus of a platform that runs without it. */
export async function startMortalDriver(
  bus: Bus,
  { clock, dataDir, port }: { clock: Clock; dataDir: string; port: number },
): Promise<MortalDriver> {
  const subscriptions = new Set<{ cancel(): Promise<void> }>();
  let isDead = false;
  const mortal: Bus = {
    ...bus,
    publish: (...given) =>
      isDead ? Promise.reject(new Error('the process is gone')) : bus.publish(...given),
    async subscribe(topic, options, handle) {
      const subscription = await bus.subscribe(topic, options, async (payload, delivery) => {
        if (!isDead) await handle(payload, delivery);
      });
      subscriptions.add(subscription);
      return subscription;
    },
  };
  const driver = lwm2mDriver({ port, clock, log, dataDir });
  const host = await startDriver(driver, { bus: mortal, clock, log, node: 'mortal', dataDir });
  await eventually(async () => host.registered(), Boolean);
  return {
    port: driver.port(),
    devices: () => host.devices().size,
    async kill() {
      isDead = true;
      for (const subscription of subscriptions) await subscription.cancel();
      await driver.stop();
      // It cannot tell anybody, and gives up by itself.
      void host.stop().catch(() => {});
    },
  };
}
