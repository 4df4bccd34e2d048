import type { Bus } from '../../../src/bus/bus.ts';
import { NoRawValue, scale, unscale } from '../../../src/bus/scaling.ts';
import { type Payload, Quality, topics } from '../../../src/bus/topic/topics.ts';
import { type Driver, DriverFailure, type DriverPoint, type Reading } from '../driver.ts';
import { reportsOnly } from '../failure.ts';
import type { ValuePublisher } from '../values.ts';
import { bounded, failure, Once, type OnceParts } from './at-most-once.ts';
import { demandAsChecked, untilAsChecked } from './effect-check.ts';
import type { Ended } from './ends.ts';
import type { CommandStore } from './store.ts';
import { type PointCommand, type Target, targetOf, untilCompared } from './target.ts';

type Result = Payload<'svc.e.point_command_result'>;
type Outcome = Ended & Partial<Omit<Result, keyof Ended>>;

/** Where a test may end the process: before the device is touched, before the result is published. */
export type CrashPoint = 'before-device' | 'after-device';

/** Executes point commands at most once each: reads, and writes that are read back. */
export function createCommandRunner({
  store,
  bus,
  crash,
  ...parts
}: OnceParts & {
  driver: Driver;
  store: CommandStore;
  values: ValuePublisher;
  bus: Bus;
  crash: (point: CrashPoint) => void;
}): Once<PointCommand, Outcome> {
  const { driver, devices, serving, clock } = parts;
  const find = (command: PointCommand): Target => targetOf(devices, command);

  async function publish(
    { id, tenantId }: { id: string; tenantId: string },
    outcome: Outcome,
  ): Promise<void> {
    const result: Result = {
      schemaVersion: 1,
      responseValue: null,
      readBack: null,
      errorCode: '',
      ...outcome,
      errorMessage: (outcome.errorMessage ?? '').slice(0, 1024),
      commandId: id,
      tenantId,
      finishedAt: clock.now(),
    };
    const options = { key: driver.code, mandatory: true };
    await bus.publish('svc.e.point_command_result', result, options);
  }

  async function run(command: PointCommand, deadline: number): Promise<Outcome> {
    await untilCompared(parts, command.deviceId, deadline);
    if (command.type === 'READ') return read(find(command), deadline);
    await untilAsChecked({ driverCode: driver.code, find, clock, deadline }, command);
    // No pause from here to the device, so that no metadata update comes between.
    const target = find(command);
    demandAsChecked(driver.code, target, command);
    return write(target, command.value ?? '', deadline);
  }

  async function read(target: Target, deadline: number): Promise<Outcome> {
    if (driver.reportsOnly?.(target.device, target.point)) throw reportsOnly();
    crash('before-device');
    const reading = driver.read(target.device, target.point, deadline);
    const { calValue, isValue } = await publishAnswer(parts, target, { reading, deadline });
    crash('after-device');
    // A device in doubt has answered, but its answer proves nothing.
    return isValue
      ? { status: 'SUCCESS', responseValue: calValue, ...doubtOf(target) }
      : {
          status: 'FAILED',
          errorCode: 'VALUE_INVALID',
          errorMessage: 'what the device said is not a value of this point',
        };
  }

  async function write(target: Target, value: string, deadline: number): Promise<Outcome> {
    const { device, point } = target;
    const raw = rawOf(point, value);
    crash('before-device');
    try {
      await bounded(clock, deadline, driver.write(device, point, raw, deadline));
    } catch (error) {
      // Without a DriverFailure the device may have executed the write.
      const failed = failure(error, 'UNKNOWN');
      return (await isContradicted(parts, { ...target, raw }, value, failed))
        ? { ...failed, status: 'UNKNOWN' }
        : failed;
    }
    crash('after-device');
    const held = await readBack(parts, target, raw);
    // A doubt that arose meanwhile counts too: what was read back proves nothing then.
    return { status: 'SUCCESS', responseValue: value, ...(doubtOf(target) ?? held) };
  }

  /** Why answers of the device must not count as verified; null without doubt. */
  function doubtOf({ device }: Target): Pick<Result, 'errorCode' | 'errorMessage'> | null {
    const doubt = serving.doubtOf(device);
    return doubt ? { errorCode: doubt.code, errorMessage: doubt.message } : null;
  }

  return new Once<PointCommand, Outcome>({
    ...parts,
    idOf: ({ commandId }) => commandId,
    changesDevice: ({ type }) => type === 'WRITE',
    parse: (stored) => topics['svc.e.point_command'].payload.safeParse(stored).data ?? null,
    run,
    publish,
    store,
  });
}

/** What the device gets; throws DriverFailure `VALUE_INVALID` where nothing gives the value. */
function rawOf(point: DriverPoint, value: string): string {
  try {
    return unscale(point, value);
  } catch (error) {
    if (!(error instanceof NoRawValue)) throw error;
    throw new DriverFailure('VALUE_INVALID', error.message);
  }
}

/** A read-back may end after the validity of the command: it only reads what the write did. */
const READ_BACK_MS = 3_000;

type Parts = Pick<OnceParts, 'serving' | 'clock' | 'log'> & {
  driver: Driver;
  values: ValuePublisher;
};

/** The device accepted a write and then answered a read-back without a value of the point. */
const contradicted = {
  errorCode: 'READ_BACK_INVALID',
  errorMessage: 'what the device reads back is not a value of this point',
};

/** Publishes what a device answers; answers the scaled value and whether it is a value of this point. */
async function publishAnswer(
  { serving, values, clock, log }: Parts,
  { device, point }: Target,
  { reading: answering, deadline }: { reading: Promise<Reading>; deadline: number },
): Promise<{ calValue: string; isValue: boolean }> {
  const answer = await bounded(clock, deadline, answering);
  const reading = serving.withDoubt(device, answer);
  try {
    await values.publish([{ device, point, reading }]);
  } catch (error) {
    log.warn({ deviceId: device.id, error }, 'a value could not be delivered');
  }
  const { calValue, quality } = scale(point, reading.rawValue);
  return { calValue, isValue: quality === Quality.GOOD && !reading.invalid };
}

/** What the device holds after a write of `raw`: as it reports it, or as it answers a read. */
async function heldNow(parts: Parts, target: Target, raw: string) {
  const { driver, clock } = parts;
  const deadline = clock.now() + READ_BACK_MS;
  const { device, point } = target;
  const reading = driver.readBack
    ? driver.readBack(device, point, raw, deadline)
    : driver.read(device, point, deadline);
  return publishAnswer(parts, target, { reading, deadline });
}

/** The value that the device holds after it accepted a write, or why it is unknown. */
async function readBack(
  parts: Parts,
  target: Target,
  raw: string,
): Promise<Omit<Ended, 'status'> & { readBack?: string }> {
  const { log } = parts;
  if (target.point.rw === 'WRITE_ONLY') return {};
  try {
    const { calValue, isValue } = await heldNow(parts, target, raw);
    return { readBack: calValue, ...(isValue ? {} : contradicted) };
  } catch (error) {
    log.warn({ deviceId: target.device.id, error }, 'a write could not be read back');
    const { errorCode, errorMessage } = failure(error, 'UNKNOWN');
    // The device answered without a value of this point.
    if (errorCode === 'VALUE_INVALID') return contradicted;
    return {
      errorCode: 'READ_BACK_FAILED',
      errorMessage: `the write was not read back: ${errorCode}, ${errorMessage}`,
    };
  }
}

/** Whether a device that refused a write holds the value all the same: it may have done what it refused. */
async function isContradicted(
  parts: Parts,
  target: Target & { raw: string },
  value: string,
  { status, errorCode }: Ended,
): Promise<boolean> {
  const isRefusal = status === 'FAILED' && errorCode === 'DEVICE_REFUSED';
  if (!isRefusal || target.point.rw === 'WRITE_ONLY') return false;
  try {
    const held = await heldNow(parts, target, target.raw);
    return held.isValue && isSame(held.calValue, value);
  } catch {
    // A device that does not say what it holds contradicts nothing.
    return false;
  }
}

/** Equal as text, or as numbers within the seven digits of a FLOAT. */
function isSame(held: string, written: string): boolean {
  if (held === written) return true;
  const [one, two] = [Number(held), Number(written)];
  return Math.abs(one - two) <= Math.abs(two) * 1e-6;
}
