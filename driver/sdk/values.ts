import { hash } from 'node:crypto';

import type { Bus } from '../../src/bus/bus.ts';
import { scale } from '../../src/bus/scaling.ts';
import { type Payload, Quality } from '../../src/bus/topic/topics.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import type { Log } from '../../src/kernel/process/log.ts';
import { bytesOf, portions } from './batches.ts';
import type { DriverDevice, DriverPoint, Reading, Report } from './driver.ts';
import { within } from './wait.ts';

type Batch = Payload<'svc.e.value'>;
type Value = Batch['values'][number];

export type Reported = Report;

/** Largest batch in `svc.e.value`. */
const MAX_BATCH = 5000;
/** Size of the ids, numbers and names of a value in JSON. */
const VALUE_BYTES = 250;
const PUBLISH_TIMEOUT_MS = 10_000;
const MAX_ISSUE = 256;

/** Value for an answer without text of the point's type. */
const contradiction = { rawValue: '', calValue: '', numValue: null, quality: Quality.BAD };

export type ValuePublisher = {
  /**
   * Scales and publishes, one batch per tenant and driver; resolves when no batch can be lost any more, or, with a
   * spool, when it is on disk.
   */
  publish(reported: readonly Reported[]): Promise<void>;
};

const bytes = ({ rawValue, calValue }: Value): number =>
  VALUE_BYTES + bytesOf(rawValue) + bytesOf(calValue);

export function createValuePublisher({
  bus,
  clock,
  driverCode,
  node,
  spooled = null,
}: {
  bus: Bus;
  clock: Clock;
  driverCode: string;
  node: string;
  /** Takes what the bus does not. */
  spooled?: { send(batch: Batch): Promise<void> } | null;
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
    const own = reading.id === undefined ? seq : seqOf(reading.id);
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
      seq: own,
    };
    if (issue) value.issue = issue.slice(0, MAX_ISSUE);
    return value;
  }

  return {
    async publish(reported) {
      for (const batch of batches(reported)) {
        if (spooled) await spooled.send(batch);
        else {
          const sent = bus.publish('svc.e.value', batch, { key: driverCode });
          await within(clock, PUBLISH_TIMEOUT_MS, sent);
        }
      }
    },
  };
}

/** Between 2^31 and 2^47: the same for the same id, and none that is counted. */
const seqOf = (id: string): number => {
  const digest = hash('sha256', id, 'buffer');
  return (digest.readUIntBE(0, 6) % 2 ** 46) + 2 ** 31;
};

const FLUSH_AFTER_MS = 100;
const FLUSH_AT = 500;
const MAX_WAITING = 10_000;
/** A device that sends without end leaves room for the others. */
const MAX_WAITING_OF_DEVICE = 2_000;

/** Collects values that devices send on their own into batches; when full the newest are dropped. */
export function createReportBuffer({
  values,
  clock,
  log,
}: {
  values: ValuePublisher;
  clock: Clock;
  log: Log;
}): {
  add(reported: Reported): void;
  /** Resolves once they are published, rejects where that failed; they have no limit here. */
  deliver(reported: readonly Reported[]): Promise<void>;
  close(): Promise<void>;
} {
  let waiting: Reported[] = [];
  /** Promises of `deliver`; each settles when the values in `waiting` are published or that failed. */
  let ends: PromiseWithResolvers<void>[] = [];
  let ofDevice = new Map<string, number>();
  let dropped = 0;
  let sending: Promise<void> = Promise.resolve();
  let busy = false;
  let cancelTimer: (() => void) | null = null;

  async function send(): Promise<void> {
    busy = true;
    while (waiting.length > 0) {
      const batch = waiting;
      const ending = ends;
      waiting = [];
      ends = [];
      ofDevice = new Map();
      try {
        await values.publish(batch);
        for (const { resolve } of ending) resolve();
      } catch (error) {
        log.warn({ values: batch.length, error }, 'reported values could not be delivered');
        for (const { reject } of ending) reject(error);
      }
      if (dropped > 0) log.warn({ dropped }, 'reported values were dropped: too many at once');
      dropped = 0;
    }
    busy = false;
  }

  function flush(): void {
    cancelTimer?.();
    cancelTimer = null;
    if (!busy) sending = send();
  }

  function soon(): void {
    if (waiting.length >= FLUSH_AT) flush();
    else cancelTimer ??= clock.after(FLUSH_AFTER_MS, flush);
  }

  return {
    add(reported) {
      const { id } = reported.device;
      const own = ofDevice.get(id) ?? 0;
      if (waiting.length >= MAX_WAITING || own >= MAX_WAITING_OF_DEVICE) {
        dropped += 1;
        return;
      }
      ofDevice.set(id, own + 1);
      waiting.push(reported);
      soon();
    },
    deliver(reported) {
      if (reported.length === 0) return Promise.resolve();
      const end = Promise.withResolvers<void>();
      ends.push(end);
      waiting.push(...reported);
      // At once, with what came in the same turn: a broker sends no more until it is acknowledged.
      if (ends.length === 1) setImmediate(flush);
      return end.promise;
    },
    async close() {
      flush();
      await sending;
    },
  };
}
