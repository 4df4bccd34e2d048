import type { Bus } from '../../../src/bus/bus.ts';
import type { Payload } from '../../../src/bus/topic/topics.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/process/log.ts';
import type { Driver, DriverDevice, FirmwareEnd, FirmwareSeen, FirmwareUpdate } from '../driver.ts';
import { DriverFailure } from '../driver.ts';
import { within } from '../wait.ts';
import { createUpdateChecks, type UpdateChecks } from './checks.ts';
import { createImageSource, type ImageSource } from './image-source.ts';
import { createInterruptedUpdates, type InterruptedUpdates } from './interrupted.ts';
import { createUpdatePermission, type UpdatePermission } from './permission.ts';

type Task = Payload<'svc.e.firmware'>;
type Report = Payload<'svc.e.firmware_report'>;

/** Updates under way. */
const MAX_WORKING = 64;
/** Updates under way or waiting for a device; the center hands out the rest again. */
const MAX_RUNNING = 10_000;
const REPORT_TIMEOUT_MS = 10_000;
/** Between two reports about how far the bytes are. */
const PROGRESS_MS = 2_000;
const ASLEEP = 'The device sleeps; the update goes on when it wakes';

/** What is known of an update now. */
type State = Pick<FirmwareUpdate, 'known'> & { seen: FirmwareSeen; sentBytes: number };
type Parts = {
  driver: Driver;
  devices: ReadonlyMap<string, DriverDevice>;
  bus: Bus;
  clock: Clock;
  log: Log;
  node: string;
};

/**
 * Updates the firmware of devices (docs/specification/firmware.md, The end of an update). The center keeps what is known and hands an
 * update out until it has ended; what is lost here, with this process too, is found out from the device the next time.
 */
export class UpdateRunner {
  readonly #parts: Parts;
  readonly #images: ImageSource;
  readonly #permission: UpdatePermission;
  readonly #running = new Map<string, Promise<void>>();
  readonly #interrupted: InterruptedUpdates<Task>;
  readonly #underWay = new Set<string>();
  /** Of those under way, the devices that woke since. */
  readonly #woken = new Set<string>();
  #resting = 0;
  #stopped = false;
  readonly #checks: UpdateChecks<Task>;

  constructor(parts: Parts) {
    const { bus, clock, driver, node } = parts;
    this.#parts = parts;
    this.#images = createImageSource({ bus, clock, driverCode: driver.code, node });
    this.#permission = createUpdatePermission({ bus, clock, driverCode: driver.code, node });
    this.#interrupted = createInterruptedUpdates<Task>(clock);
    this.#checks = createUpdateChecks<Task>(clock, {
      isStopped: () => this.#stopped,
      look: this.#lookAt,
    });
  }

  handle(task: Task): void {
    const { updateId, deviceId } = task;
    const device = this.#parts.devices.get(deviceId);
    if (device?.tenantId !== task.tenantId || this.#stopped || this.#running.has(updateId)) return;
    if (task.hasEnded) return this.#checks.take(task);
    const isWaiting = this.#isAsleep(device);
    if (isWaiting) this.#interrupted.keep(task);
    else if (this.#running.size - this.#resting >= MAX_WORKING) return;
    if (this.#running.size >= MAX_RUNNING) return;
    const work = isWaiting
      ? this.#report(task, this.#stateOf(task), null, ASLEEP)
      : this.#goOn(task, device);
    this.#underWay.add(deviceId);
    this.#running.set(
      updateId,
      work.finally(() => {
        this.#running.delete(updateId);
        this.#underWay.delete(deviceId);
        if (this.#woken.delete(deviceId)) this.#again(deviceId);
      }),
    );
  }

  takePortion(portion: Payload<'svc.e.firmware_portion'>): void {
    if (portion.mayBegin === null) this.#images.take(portion);
    else this.#permission.take(portion);
  }

  /** The device listens now: its update goes on at once. */
  woke(deviceId: string): void {
    if (this.#underWay.has(deviceId)) this.#woken.add(deviceId);
    else this.#again(deviceId);
    this.#checks.cameBack(deviceId);
  }

  /** The device came or went: one of which it is unclear what became of its update may say so now. */
  changed(deviceId: string): void {
    this.#checks.cameBack(deviceId);
  }

  /** Begins no more, and lets those under way stop at their next step. */
  stop(): void {
    this.#stopped = true;
  }

  async idle(): Promise<void> {
    await Promise.all([...this.#running.values(), this.#checks.idle()]);
  }

  readonly #isAsleep = (device: DriverDevice): boolean => {
    return this.#parts.driver.sleeper?.(device)?.isAwake === false;
  };

  /** Whether it is known now what became of an update that had ended. */
  readonly #lookAt = async (task: Task): Promise<boolean> => {
    const { devices, driver } = this.#parts;
    const device = devices.get(task.deviceId);
    if (device?.tenantId !== task.tenantId) return true;
    if (this.#isAsleep(device) || driver.status(device).status === 'OFFLINE') return false;
    return (await this.#run(task, device)) === null;
  };

  #sent(
    { updateId, tenantId, deviceId }: Task,
    { known, seen, sentBytes }: State,
    end: FirmwareEnd | null,
    message: string,
  ): Promise<void> {
    const { driver, node, clock, bus } = this.#parts;
    const report: Report = {
      driverCode: driver.code,
      node,
      updateId,
      tenantId,
      deviceId,
      ...known,
      sentBytes,
      ...seen,
      end: end?.end ?? null,
      message: message.slice(0, 1024),
      at: clock.now(),
    };
    const sending = bus.publish('svc.e.firmware_report', report, { key: driver.code });
    return within(clock, REPORT_TIMEOUT_MS, sending);
  }

  async #report(task: Task, state: State, end: FirmwareEnd | null, message: string): Promise<void> {
    // A word that is lost is followed by a later one.
    await this.#sent(task, state, end, message).catch((error: unknown) =>
      this.#parts.log.warn(
        { error, updateId: task.updateId },
        'the state of a firmware update was not reported',
      ),
    );
  }

  #stateOf(task: Task): State {
    const { phase, versionBefore, pushes, executions, answer, session, resultBefore } = task;
    return {
      known: { phase, versionBefore, pushes, executions, answer, session, resultBefore },
      seen: { state: null, result: null, version: null },
      sentBytes: phase === 'BEGUN' || phase === 'SENDING' ? 0 : task.size,
    };
  }

  /** Answers what is to be gone on with later; null for an update that has come to its end. */
  async #run(task: Task, device: DriverDevice): Promise<Task | null> {
    const { clock, driver, log } = this.#parts;
    const state = this.#stateOf(task);
    const begunAt = clock.elapsed();
    const rest = (): Task => ({
      ...task,
      ...state.known,
      remainingMs: Math.max(1, task.remainingMs - (clock.elapsed() - begunAt)),
    });
    let lastProgress = clock.now();
    let isAllowed = task.phase !== 'BEGUN';
    const update: FirmwareUpdate = {
      version: task.packageVersion,
      uri: task.packageUri,
      known: state.known,
      hasEnded: task.hasEnded,
      deadline: clock.now() + task.remainingMs,
      image: () => this.#images.imageFor(task),
      isWanted: () => !this.#stopped,
      mayBegin: async () => {
        if (!isAllowed) await this.#permission.ask(task);
        isAllowed = true;
      },
      willOrder: async () => {
        await this.#sent(task, state, null, '').catch((error: unknown) => {
          const text = 'The platform takes no report, so nothing is sent to the device';
          throw new DriverFailure('PLATFORM_AWAY', text, 'FAILED', error);
        });
      },
      rest: async (waiting) => {
        this.#resting += 1;
        await waiting.finally(() => {
          this.#resting -= 1;
        });
      },
      reported: async (seen, message = '') => {
        if (seen) state.seen = seen;
        await this.#report(task, state, null, message);
      },
      sent: (bytes) => {
        state.sentBytes = bytes;
        if (clock.now() - lastProgress < PROGRESS_MS) return;
        lastProgress = clock.now();
        void this.#report(task, state, null, '');
      },
    };
    try {
      if (!driver.firmware) {
        const message = 'the driver of the device does not update firmware';
        await this.#report(task, state, { end: 'FAILED', message }, message);
        return null;
      }
      const end = await driver.firmware(device, update);
      if (!end) return rest();
      await this.#report(task, state, end, end.message);
      return null;
    } catch (error) {
      // The device may come back: it is asked again what became of it.
      const isExpected = error instanceof DriverFailure;
      if (!isExpected) log.error({ error, ...task }, 'a firmware update failed in the driver');
      // Of one that has ended, silence is no news.
      const isNewer = !this.#stopped && !task.hasEnded;
      if (isNewer) await this.#report(task, state, null, isExpected ? error.message : '');
      return rest();
    }
  }

  async #goOn(task: Task, device: DriverDevice): Promise<void> {
    const rest = await this.#run(task, device);
    if (rest) this.#interrupted.keep(rest);
    else this.#woken.delete(task.deviceId);
  }

  #again(deviceId: string): void {
    const task = this.#interrupted.take(deviceId);
    if (task) this.handle(task);
  }
}
