import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/log/log.ts';
import type { DeviceLock } from '../device-lock.ts';
import {
  type Driver,
  type DriverDevice,
  DriverFailure,
  type DriverPoint,
  type Reading,
} from '../driver.ts';
import { intervalOf } from '../schedule.ts';
import type { Serving } from '../serving.ts';
import { createTurns } from '../turns.ts';
import type { Reported, ValuePublisher } from '../values.ts';
import { within } from '../wait.ts';

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
// oxlint-disable-next-line max-lines-per-function
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
  /** Reads a device that sleeps, and is awake now, if its last read is an interval of the schedule ago. */
  woke(device: DriverDevice): void;
  stop(): void;
  /** Why the last read of a device had no answer; undefined where it had one, or nothing was read. */
  issueOf(deviceId: string): string | undefined;
} {
  const intervalMs = intervalOf(driver.readCron, clock.now()) ?? DEFAULT_INTERVAL_MS;
  const reportedForMs = REPORTED_FOR * intervalMs;
  const failing = new Set<string>();
  /** By device id. */
  const issues = new Map<string, string>();
  /** Of devices that sleep: when they were last read, by the monotonic clock. */
  const readAt = new Map<string, number>();
  const awake = createTurns(DEVICES_AT_ONCE, (id) => collectAwake(id));
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

  /** One exchange, which no other one of the device meets. */
  const exchange = <T>({ id }: DriverDevice, read: (deadline: number) => Promise<T>): Promise<T> =>
    lock(id, () => within(clock, READ_TIMEOUT_MS + 1000, read(clock.now() + READ_TIMEOUT_MS)));

  /** Notes a failure; answers whether the device is not to be asked for more now. */
  function isSilent(device: DriverDevice, error: unknown, facts: { pointId?: string }): boolean {
    const isKnown = failing.has(device.id);
    const all = { deviceId: device.id, ...facts, error };
    log[isKnown ? 'debug' : 'warn'](all, 'a point could not be read');
    failing.add(device.id);
    if (error instanceof DriverFailure && !SILENT.has(error.code)) return false;
    note(device, error instanceof DriverFailure ? error.message : UNEXPECTED);
    return true;
  }

  /** What the device answers for several points in one exchange; null for a silent device. */
  async function readTogether(
    device: DriverDevice,
    due: readonly DriverPoint[],
  ): Promise<ReadonlyMap<string, Reading> | null> {
    const { readMany } = driver;
    if (!readMany || due.length < 2) return new Map();
    try {
      return await exchange(device, (deadline) => readMany(device, due, deadline));
    } catch (error) {
      return isSilent(device, error, {}) ? null : new Map();
    }
  }

  async function collectDevice(device: DriverDevice, out: (reported: Reported) => Promise<void>) {
    const isCurrent = (): boolean =>
      !stopped && devices.get(device.id) === device && serving.isMine(device);
    const due = device.points.filter(
      (point) => point.rw !== 'WRITE_ONLY' && !isReported(device, point),
    );
    if (due.length > 0 && !isCurrent()) return;
    const together = await readTogether(device, due);
    if (!together) return;
    for (const point of due) {
      if (!isCurrent()) return;
      try {
        const reading =
          together.get(point.id) ??
          (await exchange(device, (deadline) => driver.read(device, point, deadline)));
        failing.delete(device.id);
        await out({ device, point, reading: serving.withDoubt(device, reading) });
      } catch (error) {
        if (isSilent(device, error, { pointId: point.id })) return;
        // The device answered without a value of this point: published as BAD, not only logged.
        const issue = error instanceof Error ? error.message : UNEXPECTED;
        const reading = { rawValue: '', originTime: clock.now(), invalid: true, issue } as const;
        await out({ device, point, reading });
      }
    }
    note(device, undefined);
  }

  /** A batch of values under way, published when it is full or ends. */
  function batch(publish: (full: readonly Reported[]) => Promise<void>) {
    let waiting: Reported[] = [];
    const flush = async (): Promise<void> => {
      const full = waiting;
      waiting = [];
      if (full.length === 0) return;
      try {
        await publish(full);
      } catch (error) {
        log.warn({ values: full.length, error }, 'collected values could not be delivered');
      }
    };
    const out = async (reported: Reported): Promise<void> => {
      waiting.push(reported);
      if (waiting.length >= FLUSH_AT) await flush();
    };
    return { out, flush };
  }

  const isReadable = (device: DriverDevice): boolean =>
    device.enabled && serving.isMine(device) && driver.status(device).status === 'ONLINE';

  async function collectAwake(deviceId: string): Promise<void> {
    const device = devices.get(deviceId);
    const last = readAt.get(deviceId) ?? Number.NEGATIVE_INFINITY;
    if (stopped || !device || !isReadable(device) || clock.elapsed() - last < intervalMs) return;
    if (driver.sleeper?.(device)?.isAwake !== true) return;
    readAt.set(deviceId, clock.elapsed());
    const { out, flush } = batch((full) => values.publish(full));
    try {
      await collectDevice(device, out);
      await flush();
    } catch (error) {
      log.error({ deviceId, error }, 'a device was not read when it woke');
    }
  }

  return {
    async run() {
      for (const deviceId of readAt.keys()) if (!devices.has(deviceId)) readAt.delete(deviceId);
      for (const deviceId of failing) if (!devices.has(deviceId)) failing.delete(deviceId);
      const readable = [...devices.values()].filter(isReadable);
      const ids = new Set(readable.map(({ id }) => id));
      for (const deviceId of issues.keys()) if (!ids.has(deviceId)) issues.delete(deviceId);
      // A read would keep a device awake that sleeps between its reports.
      const queue = readable.filter((device) => !driver.sleeper?.(device)).values();
      const { out, flush } = batch((full) => values.publish(full));
      const worker = async () => {
        for (const device of queue) await collectDevice(device, out);
      };
      await Promise.all(Array.from({ length: DEVICES_AT_ONCE }, worker));
      await flush();
    },
    woke: ({ id }) => awake.heard(id),
    stop() {
      stopped = true;
      awake.stop();
    },
    issueOf: (deviceId) => issues.get(deviceId),
  };
}
