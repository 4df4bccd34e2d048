import type { Bus, Delivery } from '../../src/bus/bus.ts';
import { type Payload, Quality } from '../../src/bus/topics.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { Log } from '../../src/core/log.ts';
import type { DeviceLock } from './device-lock.ts';
import { type Driver, type DriverDevice, DriverFailure, type DriverPoint } from './driver.ts';
import type { CommandStore } from './store.ts';
import { scale, unscale } from './value.ts';
import type { ValuePublisher } from './values.ts';
import { retry, within } from './wait.ts';

type PointCommand = Payload<'svc.e.point_command'>;
type Result = Payload<'svc.e.point_command_result'>;
type Outcome = Pick<Result, 'status'> & Partial<Result>;
type Target = { device: DriverDevice; point: DriverPoint };

/** Where a test may end the process: nothing is known of the device yet, or nothing is told yet. */
export type CrashPoint = 'before-device' | 'after-device';

const MAX_RUNNING = 256;
/** A read-back may end after the command's own validity: it only tells what the write led to. */
const READ_BACK_MS = 3_000;
/** The driver ends its waits itself; this only holds it to it. */
const GRACE_MS = 1_000;
const RESULT_TIMEOUT_MS = 5_000;
const RESULT_RETRY_MS = [100, 200, 400, 800, 1600, 2000, 2000, 2000] as const;

export type CommandRunner = {
  handle(command: PointCommand, delivery: Delivery): Promise<void>;
  /** Publishes UNKNOWN for the commands a crash interrupted; they are never executed again. */
  answerOrphans(): Promise<void>;
  /** Resolves when no command is under way. */
  idle(): Promise<void>;
};

/** Executes point commands at most once each (DESIGN.md, Settled questions: At most once). */
export function createCommandRunner({
  driver,
  devices,
  synced,
  store,
  lock,
  values,
  bus,
  clock,
  log,
  crash,
}: {
  driver: Driver;
  devices: ReadonlyMap<string, DriverDevice>;
  /** Resolves once all devices are known. */
  synced: Promise<void>;
  store: CommandStore;
  lock: DeviceLock;
  values: ValuePublisher;
  bus: Bus;
  clock: Clock;
  log: Log;
  crash: (point: CrashPoint) => void;
}): CommandRunner {
  const running = new Set<Promise<void>>();

  function track(work: Promise<void>): void {
    const tracked = work.finally(() => running.delete(tracked));
    running.add(tracked);
  }

  /** A result nobody takes is given up after about a minute; the sweeper then ends the command. */
  async function tell(
    command: { commandId: string; tenantId: string },
    outcome: Outcome,
  ): Promise<boolean> {
    const result: Result = {
      schemaVersion: 1,
      responseValue: null,
      readBack: null,
      errorCode: '',
      ...outcome,
      errorMessage: (outcome.errorMessage ?? '').slice(0, 1024),
      commandId: command.commandId,
      tenantId: command.tenantId,
      finishedAt: clock.now(),
    };
    const options = { key: driver.code, mandatory: true };
    try {
      await retry(clock, RESULT_RETRY_MS, () =>
        within(
          clock,
          RESULT_TIMEOUT_MS,
          bus.publish('svc.e.point_command_result', result, options),
        ),
      );
      return true;
    } catch (error) {
      const { commandId } = command;
      log.error({ commandId, error }, 'the result of a command could not be delivered');
      return false;
    }
  }

  async function execute(command: PointCommand): Promise<void> {
    const { commandId } = command;
    try {
      await known(command);
      const outcome = await lock(command.deviceId, () => run(command));
      if (await tell(command, outcome)) await store.finish(commandId);
    } catch (error) {
      log.error({ commandId, error }, 'a command failed in the host');
    }
  }

  /** A command that waited for the restart of its driver may come before its device is announced. */
  async function known({ deviceId, expireAt }: PointCommand): Promise<void> {
    if (devices.has(deviceId)) return;
    await within(clock, expireAt - clock.now(), synced).catch(() => {});
  }

  async function run(command: PointCommand): Promise<Outcome> {
    // It may have waited for its device: what has expired meanwhile is not executed (SPEC.md, Limits).
    if (clock.now() >= command.expireAt) return expired;
    try {
      const target = find(command);
      return command.type === 'READ'
        ? await read(target, command.expireAt)
        : await write(target, command.value ?? '', command.expireAt);
    } catch (error) {
      return failure(error, 'FAILED');
    }
  }

  function find({ tenantId, deviceId, pointId, type }: PointCommand): Target {
    const device = devices.get(deviceId);
    if (device?.tenantId !== tenantId)
      throw new DriverFailure('DEVICE_UNKNOWN', 'the driver does not know this device');
    if (!device.enabled) throw new DriverFailure('DEVICE_DISABLED', 'the device is disabled');
    const point = device.points.find(({ id }) => id === pointId);
    if (!point) throw new DriverFailure('POINT_UNKNOWN', 'the device has no such point');
    if (type === 'WRITE' && point.rw === 'READ_ONLY')
      throw new DriverFailure('NOT_WRITABLE', 'the point is read-only');
    if (type === 'READ' && point.rw === 'WRITE_ONLY')
      throw new DriverFailure('NOT_READABLE', 'the point is write-only');
    return { device, point };
  }

  async function read(target: Target, deadline: number): Promise<Outcome> {
    crash('before-device');
    const calValue = await readAndPublish(target, deadline);
    crash('after-device');
    return calValue === null
      ? {
          status: 'FAILED',
          errorCode: 'VALUE_INVALID',
          errorMessage: 'what the device said is not a value of this point',
        }
      : { status: 'SUCCESS', responseValue: calValue };
  }

  async function write(target: Target, value: string, deadline: number): Promise<Outcome> {
    const { device, point } = target;
    const raw = unscale(point, value);
    crash('before-device');
    try {
      await bounded(deadline, driver.write(device, point, raw, deadline));
    } catch (error) {
      // Without a DriverFailure nobody said that the device did not do it.
      return failure(error, 'UNKNOWN');
    }
    crash('after-device');
    return { status: 'SUCCESS', responseValue: value, readBack: await readBack(target) };
  }

  async function readBack(target: Target): Promise<string | null> {
    if (target.point.rw === 'WRITE_ONLY') return null;
    try {
      return await readAndPublish(target, clock.now() + READ_BACK_MS);
    } catch (error) {
      log.warn({ deviceId: target.device.id, error }, 'a write could not be read back');
      return null;
    }
  }

  /** The scaled value, already on its way as a point value; null when it is none of this point. */
  async function readAndPublish(
    { device, point }: Target,
    deadline: number,
  ): Promise<string | null> {
    const reading = await bounded(deadline, driver.read(device, point, deadline));
    try {
      await values.publish([{ device, point, reading }]);
    } catch (error) {
      log.warn({ deviceId: device.id, error }, 'a value could not be delivered');
    }
    const { calValue, quality } = scale(point, reading.rawValue);
    return quality === Quality.GOOD ? calValue : null;
  }

  function bounded<T>(deadline: number, work: Promise<T>): Promise<T> {
    return within(clock, Math.max(0, deadline - clock.now()) + GRACE_MS, work);
  }

  return {
    async handle(command, delivery) {
      while (running.size >= MAX_RUNNING) await Promise.race(running);
      const { commandId, tenantId } = command;
      const state = store.state(commandId);
      if (state === 'running') {
        // Its true result is on the way; a DUPLICATE now could overtake it.
        log.warn({ commandId }, 'a command that is under way was delivered again');
        return;
      }
      const refusal =
        state === 'known' ? duplicate : clock.now() >= command.expireAt ? expired : null;
      if (refusal) {
        await tell(command, refusal);
        return;
      }
      await store.start({ commandId, tenantId, at: clock.now() });
      delivery.ack();
      track(execute(command));
    },

    async answerOrphans() {
      for (const orphan of store.orphans) {
        const told = await tell(orphan, {
          status: 'UNKNOWN',
          errorCode: 'DRIVER_RESTARTED',
          errorMessage: 'the driver stopped while the command was under way',
        });
        if (told) await store.finish(orphan.commandId);
      }
    },

    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

const duplicate: Outcome = { status: 'DUPLICATE' };
const expired: Outcome = {
  status: 'EXPIRED',
  errorCode: 'EXPIRED',
  errorMessage: 'the command expired before it was executed',
};

function failure(error: unknown, otherwise: 'FAILED' | 'UNKNOWN'): Outcome {
  if (!(error instanceof DriverFailure))
    return {
      status: otherwise,
      errorCode: 'DRIVER_ERROR',
      errorMessage: error instanceof Error ? error.message : 'the driver failed',
    };
  const { outcome: status, code: errorCode, message: errorMessage } = error;
  return { status, errorCode, errorMessage };
}
