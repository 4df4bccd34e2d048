import type { Bus } from '../../../src/bus/bus.ts';
import type { Payload } from '../../../src/bus/topics.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/log/log.ts';
import type { Driver, DriverDevice, FirmwareEnd, FirmwareSeen, FirmwareUpdate } from '../driver.ts';
import { DriverFailure } from '../driver.ts';
import { within } from '../wait.ts';
import { createImageSource } from './image-source.ts';
import { createInterrupted } from './interrupted-updates.ts';
import { createLaterLooks } from './update-checks.ts';
import { createLeave } from './update-permission.ts';

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

/**
 * Updates the firmware of devices (docs/specification/firmware.md, The end of an update). The center keeps what is known and hands an
 * update out until it has ended; what is lost here, with this process too, is found out from the device the next time.
 */
export type UpdateRunner = {
  handle(task: Task): void;
  takePortion(portion: Payload<'svc.e.firmware_portion'>): void;
  /** The device listens now: its update goes on at once. */
  woke(deviceId: string): void;
  /** The device came or went: one of which it is unclear what became of its update may say so now. */
  changed(deviceId: string): void;
  /** Begins no more, and lets those under way stop at their next step. */
  stop(): void;
  idle(): Promise<void>;
};

// oxlint-disable-next-line max-lines-per-function
export function createUpdateRunner({
  driver,
  devices,
  bus,
  clock,
  log,
  node,
}: {
  driver: Driver;
  devices: ReadonlyMap<string, DriverDevice>;
  bus: Bus;
  clock: Clock;
  log: Log;
  node: string;
}): UpdateRunner {
  const images = createImageSource({ bus, clock, driverCode: driver.code, node });
  const leave = createLeave({ bus, clock, driverCode: driver.code, node });
  const running = new Map<string, Promise<void>>();
  const interrupted = createInterrupted<Task>(clock);
  const underWay = new Set<string>();
  /** Of those under way, the devices that woke since. */
  const woken = new Set<string>();
  let resting = 0;
  let stopped = false;
  const later = createLaterLooks<Task>(clock, { isStopped: () => stopped, look: lookAt });

  function sent(
    { updateId, tenantId, deviceId }: Task,
    { known, seen, sentBytes }: State,
    end: FirmwareEnd | null,
    message: string,
  ): Promise<void> {
    const said: Report = {
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
    const sending = bus.publish('svc.e.firmware_report', said, { key: driver.code });
    return within(clock, REPORT_TIMEOUT_MS, sending);
  }

  async function report(...given: Parameters<typeof sent>): Promise<void> {
    const [{ updateId }] = given;
    // A word that is lost is followed by a later one.
    await sent(...given).catch((error: unknown) =>
      log.warn({ error, updateId }, 'the state of a firmware update was not reported'),
    );
  }

  type State = Pick<FirmwareUpdate, 'known'> & { seen: FirmwareSeen; sentBytes: number };

  function stateOf(task: Task): State {
    const { phase, versionBefore, pushes, executions, answer, session, resultBefore } = task;
    return {
      known: { phase, versionBefore, pushes, executions, answer, session, resultBefore },
      seen: { state: null, result: null, version: null },
      sentBytes: phase === 'BEGUN' || phase === 'SENDING' ? 0 : task.size,
    };
  }

  /** Answers what is to be gone on with later; null for an update that has come to its end. */
  async function run(task: Task, device: DriverDevice): Promise<Task | null> {
    const state = stateOf(task);
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
      image: () => images.imageFor(task),
      isWanted: () => !stopped,
      async mayBegin() {
        if (!isAllowed) await leave.ask(task);
        isAllowed = true;
      },
      async willOrder() {
        await sent(task, state, null, '').catch((error: unknown) => {
          const text = 'The platform takes no report, so nothing is sent to the device';
          throw new DriverFailure('PLATFORM_AWAY', text, 'FAILED', error);
        });
      },
      async rest(waiting) {
        resting += 1;
        await waiting.finally(() => {
          resting -= 1;
        });
      },
      async said(seen, message = '') {
        if (seen) state.seen = seen;
        await report(task, state, null, message);
      },
      sent(bytes) {
        state.sentBytes = bytes;
        if (clock.now() - lastProgress < PROGRESS_MS) return;
        lastProgress = clock.now();
        void report(task, state, null, '');
      },
    };
    try {
      if (!driver.firmware) {
        const message = 'the driver of the device does not update firmware';
        await report(task, state, { end: 'FAILED', message }, message);
        return null;
      }
      const end = await driver.firmware(device, update);
      if (!end) return rest();
      await report(task, state, end, end.message);
      return null;
    } catch (error) {
      // The device may come back: it is asked again what became of it.
      const isExpected = error instanceof DriverFailure;
      if (!isExpected) log.error({ error, ...task }, 'a firmware update failed in the driver');
      // Of one that has ended, silence is no news.
      const isNews = !stopped && !task.hasEnded;
      if (isNews) await report(task, state, null, isExpected ? error.message : '');
      return rest();
    }
  }

  const isAsleep = (device: DriverDevice): boolean => driver.sleeper?.(device)?.isAwake === false;

  function handle(task: Task): void {
    const { updateId, deviceId } = task;
    const device = devices.get(deviceId);
    if (device?.tenantId !== task.tenantId || stopped || running.has(updateId)) return;
    if (task.hasEnded) return later.take(task);
    const isWaiting = isAsleep(device);
    if (isWaiting) interrupted.keep(task);
    else if (running.size - resting >= MAX_WORKING) return;
    if (running.size >= MAX_RUNNING) return;
    const work = isWaiting ? report(task, stateOf(task), null, ASLEEP) : goOn(task, device);
    underWay.add(deviceId);
    running.set(
      updateId,
      work.finally(() => {
        running.delete(updateId);
        underWay.delete(deviceId);
        if (woken.delete(deviceId)) again(deviceId);
      }),
    );
  }

  async function goOn(task: Task, device: DriverDevice): Promise<void> {
    const rest = await run(task, device);
    if (rest) interrupted.keep(rest);
    else woken.delete(task.deviceId);
  }

  /** Whether it is known now what became of an update that had ended. */
  async function lookAt(task: Task): Promise<boolean> {
    const device = devices.get(task.deviceId);
    if (device?.tenantId !== task.tenantId) return true;
    if (isAsleep(device) || driver.status(device).status === 'OFFLINE') return false;
    return (await run(task, device)) === null;
  }

  function again(deviceId: string): void {
    const task = interrupted.take(deviceId);
    if (task) handle(task);
  }

  return {
    handle,
    takePortion: (portion) =>
      portion.mayBegin === null ? images.take(portion) : leave.take(portion),
    woke(deviceId) {
      if (underWay.has(deviceId)) woken.add(deviceId);
      else again(deviceId);
      later.cameBack(deviceId);
    },
    changed: (deviceId) => later.cameBack(deviceId),
    stop() {
      stopped = true;
    },
    async idle() {
      await Promise.all([...running.values(), later.idle()]);
    },
  };
}
