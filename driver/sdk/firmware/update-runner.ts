import type { Bus } from '../../../src/bus/bus.ts';
import type { Payload } from '../../../src/bus/topics.ts';
import type { Clock } from '../../../src/core/clock.ts';
import type { Log } from '../../../src/core/log/log.ts';
import type { Driver, DriverDevice, FirmwareEnd, FirmwareSeen, FirmwareUpdate } from '../driver.ts';
import { DriverFailure } from '../driver.ts';
import { within } from '../wait.ts';
import { createImageSource } from './image-source.ts';
import { createInterrupted } from './interrupted.ts';

type Task = Payload<'svc.e.firmware'>;
type Report = Payload<'svc.e.firmware_report'>;

/** Updates under way; the center hands out the others again. */
const MAX_RUNNING = 64;
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
  /** Begins no more, and lets those under way stop at their next step. */
  stop(): void;
  idle(): Promise<void>;
};

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
  const running = new Map<string, Promise<void>>();
  const interrupted = createInterrupted<Task>(clock);
  const underWay = new Set<string>();
  /** Of those under way, the devices that woke since. */
  const woken = new Set<string>();
  let stopped = false;

  async function report(
    { updateId, tenantId, deviceId }: Task,
    { known, seen, sentBytes }: Pick<State, 'known' | 'seen' | 'sentBytes'>,
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
    const sent = bus.publish('svc.e.firmware_report', said, { key: driver.code });
    // A word that is lost is followed by a later one.
    await within(clock, REPORT_TIMEOUT_MS, sent).catch((error: unknown) =>
      log.warn({ error, updateId }, 'the state of a firmware update was not reported'),
    );
  }

  type State = Pick<FirmwareUpdate, 'known'> & { seen: FirmwareSeen; sentBytes: number };

  const stateOf = ({ phase, versionBefore, pushes, executions, size }: Task): State => ({
    known: { phase, versionBefore, pushes, executions },
    seen: { state: null, result: null, version: null },
    sentBytes: phase === 'BEGUN' || phase === 'SENDING' ? 0 : size,
  });

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
    const update: FirmwareUpdate = {
      version: task.packageVersion,
      uri: task.packageUri,
      known: state.known,
      deadline: clock.now() + task.remainingMs,
      image: () => images.imageFor(task),
      isWanted: () => !stopped,
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
      if (!stopped) await report(task, state, null, isExpected ? error.message : '');
      return rest();
    }
  }

  const isAsleep = (device: DriverDevice): boolean => driver.sleeper?.(device)?.isAwake === false;

  function handle(task: Task): void {
    const { updateId, deviceId } = task;
    const device = devices.get(deviceId);
    if (device?.tenantId !== task.tenantId || stopped || running.has(updateId)) return;
    const isWaiting = isAsleep(device);
    if (isWaiting) interrupted.keep(task);
    else if (running.size >= MAX_RUNNING) return;
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

  function again(deviceId: string): void {
    const task = interrupted.take(deviceId);
    if (task) handle(task);
  }

  return {
    handle,
    takePortion: (portion) => images.take(portion),
    woke(deviceId) {
      if (underWay.has(deviceId)) woken.add(deviceId);
      else again(deviceId);
    },
    stop() {
      stopped = true;
    },
    async idle() {
      await Promise.all(running.values());
    },
  };
}
