import type { Bus } from '../../src/bus/bus.ts';
import type { Payload } from '../../src/bus/topics.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { DriverDevice, DriverPoint, Reading } from './driver.ts';
import { scale } from './value.ts';
import { within } from './wait.ts';

type Batch = Payload<'svc.e.value'>;

/** A reading and what it is of. */
export type Reported = { device: DriverDevice; point: DriverPoint; reading: Reading };

/** The largest batch `svc.e.value` allows. */
const MAX_BATCH = 5000;
const PUBLISH_TIMEOUT_MS = 10_000;

export type ValuePublisher = {
  /** Scales and publishes, one batch per tenant; resolves when the consumer has stored them. */
  publish(reported: readonly Reported[]): Promise<void>;
};

export function createValuePublisher({
  bus,
  clock,
  driverCode,
  node,
}: {
  bus: Bus;
  clock: Clock;
  driverCode: string;
  node: string;
}): ValuePublisher {
  let seq = 0;

  function batches(reported: readonly Reported[]): Batch[] {
    const open = new Map<string, Batch>();
    const all: Batch[] = [];
    for (const { device, point, reading } of reported) {
      const owner = `${device.tenantId} ${device.driverId}`;
      let batch = open.get(owner);
      if (!batch || batch.values.length >= MAX_BATCH) {
        const { tenantId, driverId } = device;
        batch = { tenantId, driverId, driverCode, node, values: [] };
        open.set(owner, batch);
        all.push(batch);
      }
      seq = (seq + 1) % 2_147_483_647;
      batch.values.push({
        deviceId: device.id,
        pointId: point.id,
        ...scale(point, reading.rawValue),
        originTime: reading.originTime,
        seq,
      });
    }
    return all;
  }

  return {
    async publish(reported) {
      for (const batch of batches(reported)) {
        const sent = bus.publish('svc.e.value', batch, { key: driverCode });
        await within(clock, PUBLISH_TIMEOUT_MS, sent);
      }
    },
  };
}
