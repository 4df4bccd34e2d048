import type { Bus } from '../../src/bus/bus.ts';
import { scale } from '../../src/bus/scaling.ts';
import { type Payload, Quality } from '../../src/bus/topics.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { bytesOf, portions } from './batches.ts';
import type { DriverDevice, DriverPoint, Reading } from './driver.ts';
import { within } from './wait.ts';

type Batch = Payload<'svc.e.value'>;
type Value = Batch['values'][number];

/** A reading with its device and point. */
export type Reported = { device: DriverDevice; point: DriverPoint; reading: Reading };

/** Largest batch in `svc.e.value`. */
const MAX_BATCH = 5000;
/** Size of the ids, numbers and names of a value in JSON. */
const VALUE_BYTES = 250;
const PUBLISH_TIMEOUT_MS = 10_000;
const MAX_ISSUE = 256;

/** Value for an answer without text of the point's type. */
const contradiction = { rawValue: '', calValue: '', numValue: null, quality: Quality.BAD };

export type ValuePublisher = {
  /** Scales and publishes, one batch per tenant and driver; resolves when no batch can be lost any more. */
  publish(reported: readonly Reported[]): Promise<void>;
};

const bytes = ({ rawValue, calValue }: Value): number =>
  VALUE_BYTES + bytesOf(rawValue) + bytesOf(calValue);

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
    const owners = new Map<string, Batch>();
    let current: Batch | undefined;
    for (const { device, point, reading } of reported) {
      const { tenantId, driverId } = device;
      // One device is followed by others of its owner.
      if (current?.tenantId !== tenantId || current.driverId !== driverId) {
        const owner = `${tenantId} ${driverId}`;
        current = owners.get(owner) ?? { tenantId, driverId, driverCode, node, values: [] };
        owners.set(owner, current);
      }
      current.values.push(valueOf(device, point, reading));
    }
    return [...owners.values()].flatMap((batch) =>
      portions(batch.values, MAX_BATCH, bytes).map((values) => ({ ...batch, values })),
    );
  }

  function valueOf(device: DriverDevice, point: DriverPoint, reading: Reading): Value {
    seq = (seq + 1) % 2_147_483_647;
    const scaled = reading.invalid ? contradiction : scale(point, reading.rawValue);
    const { rawValue, calValue, numValue, quality } = scaled;
    const { originTime, doubt } = reading;
    const issue = reading.issue ?? doubt;
    const value: Value = {
      deviceId: device.id,
      pointId: point.id,
      rawValue,
      calValue,
      numValue,
      quality: doubt && quality === Quality.GOOD ? Quality.UNCERTAIN : quality,
      originTime,
      seq,
    };
    if (issue) value.issue = issue.slice(0, MAX_ISSUE);
    return value;
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
