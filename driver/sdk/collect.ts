import type { Clock } from '../../src/core/clock.ts';
import type { Log } from '../../src/core/log/log.ts';
import type { DeviceLock } from './command/device-lock.ts';
import { type Driver, type DriverDevice, DriverFailure, type DriverPoint } from './driver.ts';
import { intervalOf } from './schedule.ts';
import type { Serving } from './serving.ts';
import type { Reported, ValuePublisher } from './values.ts';
import { within } from './wait.ts';

const DEVICES_AT_ONCE = 32;
/** Short, because a command for the same device waits for at most one read. */
const READ_TIMEOUT_MS = 5_000;
const FLUSH_AT = 500;
const UNEXPECTED = 'the read failed in the driver';
/** Where the schedule says nothing of it (docs/specification/drivers.md, LwM2M collection). */
const DEFAULT_INTERVAL_MS = 30_000;
/** In intervals of the schedule: before the value counts as stale, which is after three. */
const REPORTED_FOR = 2;
/** The device cannot be reached at all: reads of its other points would fail as well. */
const SILENT: ReadonlySet<string> = new Set([
  'TIMEOUT',
  'DEVICE_OFFLINE',
  'COAP_EXPIRED_IN_QUEUE',
  'COAP_QUEUE_FULL',
  'COAP_CLOSED',
]);

/**
 * One collection (docs/specification/drivers.md, LwM2M collection): devices in parallel, the points of a
 * device one after the other. A silent device or an unexpected error ends the reads of this device.
 */
export function createCollector({
  driver,
  devices,
  serving,
  lock,
  values,
  issueChanged,
  clock,
  log,
}: {
  driver: Driver;
  devices: ReadonlyMap<string, DriverDevice>;
  serving: Serving;
  lock: DeviceLock;
  values: ValuePublisher;
  /** What `issueOf` answers for the device is another text now. */
  issueChanged?: (device: DriverDevice) => void;
  clock: Clock;
  log: Log;
}): {
  run(): Promise<void>;
  stop(): void;
  /** Why the last read of a device had no answer; undefined where it had one, or nothing was read. */
  issueOf(deviceId: string): string | undefined;
} {
  const reportedForMs =
    REPORTED_FOR * (intervalOf(driver.readCron, clock.now()) ?? DEFAULT_INTERVAL_MS);
  const failing = new Set<string>();
  /** By device id. */
  const issues = new Map<string, string>();
  let stopped = false;

  /** What a device reports by itself is not read as long as its reports come as often as readings would. */
  function isReported(device: DriverDevice, point: DriverPoint): boolean {
    const sinceMs = driver.reportedMs?.(device, point) ?? null;
    return sinceMs !== null && sinceMs <= reportedForMs;
  }

  function note(device: DriverDevice, issue: string | undefined): void {
    if (issues.get(device.id) === issue) return;
    if (issue === undefined) issues.delete(device.id);
    else issues.set(device.id, issue);
    issueChanged?.(device);
  }

  async function collectDevice(device: DriverDevice, out: (reported: Reported) => Promise<void>) {
    for (const point of device.points) {
      if (point.rw === 'WRITE_ONLY' || isReported(device, point)) continue;
      if (stopped || devices.get(device.id) !== device || !serving.isMine(device)) return;
      try {
        const reading = await lock(device.id, () =>
          within(
            clock,
            READ_TIMEOUT_MS + 1000,
            driver.read(device, point, clock.now() + READ_TIMEOUT_MS),
          ),
        );
        failing.delete(device.id);
        await out({ device, point, reading: serving.withDoubt(device, reading) });
      } catch (error) {
        const facts = { deviceId: device.id, pointId: point.id, error };
        if (failing.has(device.id)) log.debug(facts, 'a point could not be read');
        else log.warn(facts, 'a point could not be read');
        failing.add(device.id);
        if (!(error instanceof DriverFailure) || SILENT.has(error.code)) {
          note(device, error instanceof DriverFailure ? error.message : UNEXPECTED);
          return;
        }
        // The device answered without a value of this point: published as BAD, not only logged.
        const issue = error.message;
        const reading = { rawValue: '', originTime: clock.now(), invalid: true, issue } as const;
        await out({ device, point, reading });
      }
    }
    note(device, undefined);
  }

  return {
    async run() {
      for (const deviceId of failing) if (!devices.has(deviceId)) failing.delete(deviceId);
      const readable = [...devices.values()]
        .filter((device) => device.enabled && serving.isMine(device))
        .filter((device) => driver.status(device).status === 'ONLINE');
      const ids = new Set(readable.map(({ id }) => id));
      for (const deviceId of issues.keys()) if (!ids.has(deviceId)) issues.delete(deviceId);
      const queue = readable.values();
      let waiting: Reported[] = [];
      const flush = async () => {
        const batch = waiting;
        waiting = [];
        if (batch.length === 0) return;
        try {
          await values.publish(batch);
        } catch (error) {
          log.warn({ values: batch.length, error }, 'collected values could not be delivered');
        }
      };
      const out = async (reported: Reported) => {
        waiting.push(reported);
        if (waiting.length >= FLUSH_AT) await flush();
      };
      const worker = async () => {
        for (const device of queue) await collectDevice(device, out);
      };
      await Promise.all(Array.from({ length: DEVICES_AT_ONCE }, worker));
      await flush();
    },
    stop() {
      stopped = true;
    },
    issueOf: (deviceId) => issues.get(deviceId),
  };
}
