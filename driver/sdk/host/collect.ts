import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/process/log.ts';
import type { KeyedQueue } from '../../../src/kernel/queue.ts';
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
type Parts = {
  driver: Driver;
  devices: ReadonlyMap<string, DriverDevice>;
  serving: Serving;
  lock: KeyedQueue;
  values: ValuePublisher;
  /** What `issueOf` answers for the device is another text now. */
  issueChanged?: (device: DriverDevice) => void;
  clock: Clock;
  log: Log;
};

/**
 * One collection (docs/specification/drivers.md, LwM2M collection): devices in parallel, the points of a
 * device one after the other. A silent device or an unexpected error ends the reads of this device.
 */
export class Collector {
  readonly #parts: Parts;
  readonly #intervalMs: number;
  readonly #reportedForMs: number;
  readonly #failing = new Set<string>();
  /** By device id. */
  readonly #issues = new Map<string, string>();
  /** Of devices that sleep: when they were last read, by the monotonic clock. */
  readonly #readAt = new Map<string, number>();
  readonly #awake = createTurns(DEVICES_AT_ONCE, (id) => this.#collectAwake(id));
  #stopped = false;

  constructor(parts: Parts) {
    const { driver, clock } = parts;
    this.#parts = parts;
    this.#intervalMs = intervalOf(driver.readCron, clock.now()) ?? DEFAULT_INTERVAL_MS;
    this.#reportedForMs = REPORTED_FOR * this.#intervalMs;
  }

  async run() {
    const { devices, driver, values } = this.#parts;
    for (const deviceId of this.#readAt.keys())
      if (!devices.has(deviceId)) this.#readAt.delete(deviceId);
    for (const deviceId of this.#failing)
      if (!devices.has(deviceId)) this.#failing.delete(deviceId);
    const readable = [...devices.values()].filter(this.#isReadable);
    const ids = new Set(readable.map(({ id }) => id));
    for (const deviceId of this.#issues.keys())
      if (!ids.has(deviceId)) this.#issues.delete(deviceId);
    // A read would keep a device awake that sleeps between its reports.
    const queue = readable.filter((device) => !driver.sleeper?.(device)).values();
    const { out, flush } = this.#batch((full) => values.publish(full));
    const worker = async () => {
      for (const device of queue) await this.#collectDevice(device, out);
    };
    await Promise.all(Array.from({ length: DEVICES_AT_ONCE }, worker));
    await flush();
  }

  woke({ id }: Pick<DriverDevice, 'id'>): void {
    this.#awake.heard(id);
  }

  stop() {
    this.#stopped = true;
    this.#awake.stop();
  }

  issueOf(deviceId: string): string | undefined {
    return this.#issues.get(deviceId);
  }

  /** One exchange, which no other one of the device meets. */
  readonly #exchange = <T>(
    { id }: DriverDevice,
    read: (deadline: number) => Promise<T>,
  ): Promise<T> => {
    const { lock, clock } = this.#parts;
    return lock.run(id, () =>
      within(clock, READ_TIMEOUT_MS + 1000, read(clock.now() + READ_TIMEOUT_MS)),
    );
  };

  readonly #isReadable = (device: DriverDevice): boolean => {
    const { serving, driver } = this.#parts;
    return device.enabled && serving.isMine(device) && driver.status(device).status === 'ONLINE';
  };

  /** What a device reports by itself is not read as long as its reports come as often as readings would. */
  #isReported(device: DriverDevice, point: DriverPoint): boolean {
    const sinceMs = this.#parts.driver.reportedMs?.(device, point) ?? null;
    return sinceMs !== null && sinceMs <= this.#reportedForMs;
  }

  #note(device: DriverDevice, issue: string | undefined): void {
    if (this.#issues.get(device.id) === issue) return;
    if (issue === undefined) this.#issues.delete(device.id);
    else this.#issues.set(device.id, issue);
    this.#parts.issueChanged?.(device);
  }

  /** Notes a failure; answers whether the device is not to be asked for more now. */
  #isSilent(device: DriverDevice, error: unknown, facts: { pointId?: string }): boolean {
    const isKnown = this.#failing.has(device.id);
    const all = { deviceId: device.id, ...facts, error };
    this.#parts.log[isKnown ? 'debug' : 'warn'](all, 'a point could not be read');
    this.#failing.add(device.id);
    if (error instanceof DriverFailure && !error.isSilent) return false;
    this.#note(device, error instanceof DriverFailure ? error.message : UNEXPECTED);
    return true;
  }

  /** What the device answers for several points in one exchange; null for a silent device. */
  async #readTogether(
    device: DriverDevice,
    due: readonly DriverPoint[],
  ): Promise<ReadonlyMap<string, Reading> | null> {
    const { readMany } = this.#parts.driver;
    if (!readMany || due.length < 2) return new Map();
    try {
      return await this.#exchange(device, (deadline) => readMany(device, due, deadline));
    } catch (error) {
      return this.#isSilent(device, error, {}) ? null : new Map();
    }
  }

  async #collectDevice(device: DriverDevice, out: (reported: Reported) => Promise<void>) {
    const { devices, serving, driver, clock } = this.#parts;
    const isCurrent = (): boolean =>
      !this.#stopped && devices.get(device.id) === device && serving.isMine(device);
    const due = device.points.filter(
      (point) =>
        point.rw !== 'WRITE_ONLY' &&
        !driver.reportsOnly?.(device, point) &&
        !this.#isReported(device, point),
    );
    if (due.length > 0 && !isCurrent()) return;
    const together = await this.#readTogether(device, due);
    if (!together) return;
    for (const point of due) {
      if (!isCurrent()) return;
      try {
        const reading =
          together.get(point.id) ??
          (await this.#exchange(device, (deadline) => driver.read(device, point, deadline)));
        this.#failing.delete(device.id);
        await out({ device, point, reading: serving.withDoubt(device, reading) });
      } catch (error) {
        if (this.#isSilent(device, error, { pointId: point.id })) return;
        // The device answered without a value of this point: published as BAD, not only logged.
        const issue = error instanceof Error ? error.message : UNEXPECTED;
        const reading = { rawValue: '', originTime: clock.now(), invalid: true, issue } as const;
        await out({ device, point, reading });
      }
    }
    this.#note(device, undefined);
  }

  /** A batch of values under way, published when it is full or ends. */
  #batch(publish: (full: readonly Reported[]) => Promise<void>) {
    let waiting: Reported[] = [];
    const flush = async (): Promise<void> => {
      const full = waiting;
      waiting = [];
      if (full.length === 0) return;
      try {
        await publish(full);
      } catch (error) {
        this.#parts.log.warn(
          { values: full.length, error },
          'collected values could not be delivered',
        );
      }
    };
    const out = async (reported: Reported): Promise<void> => {
      waiting.push(reported);
      if (waiting.length >= FLUSH_AT) await flush();
    };
    return { out, flush };
  }

  async #collectAwake(deviceId: string): Promise<void> {
    const { devices, clock, driver, values, log } = this.#parts;
    const device = devices.get(deviceId);
    const last = this.#readAt.get(deviceId) ?? Number.NEGATIVE_INFINITY;
    if (
      this.#stopped ||
      !device ||
      !this.#isReadable(device) ||
      clock.elapsed() - last < this.#intervalMs
    )
      return;
    if (driver.sleeper?.(device)?.isAwake !== true) return;
    this.#readAt.set(deviceId, clock.elapsed());
    const { out, flush } = this.#batch((full) => values.publish(full));
    try {
      await this.#collectDevice(device, out);
      await flush();
    } catch (error) {
      log.error({ deviceId, error }, 'a device was not read when it woke');
    }
  }
}
