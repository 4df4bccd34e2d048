import { scale } from '../../../src/bus/scaling.ts';
import { Quality } from '../../../src/bus/topics.ts';
import type { Driver } from '../driver.ts';
import type { ValuePublisher } from '../values.ts';
import { bounded, type Ended, failure, type OnceParts } from './at-most-once.ts';
import type { Target } from './target.ts';

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

/** Reads and publishes; answers the scaled value and whether it is a value of this point. */
export async function readAndPublish(
  { driver, serving, values, clock, log }: Parts,
  { device, point }: Target,
  deadline: number,
): Promise<{ calValue: string; isValue: boolean }> {
  const answer = await bounded(clock, deadline, driver.read(device, point, deadline));
  const reading = serving.withDoubt(device, answer);
  try {
    await values.publish([{ device, point, reading }]);
  } catch (error) {
    log.warn({ deviceId: device.id, error }, 'a value could not be delivered');
  }
  const { calValue, quality } = scale(point, reading.rawValue);
  return { calValue, isValue: quality === Quality.GOOD && !reading.invalid };
}

/** The value that the device holds after it accepted a write, or why it is unknown. */
export async function readBack(
  parts: Parts,
  target: Target,
): Promise<Omit<Ended, 'status'> & { readBack?: string }> {
  const { clock, log } = parts;
  if (target.point.rw === 'WRITE_ONLY') return {};
  try {
    const { calValue, isValue } = await readAndPublish(parts, target, clock.now() + READ_BACK_MS);
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
export async function isContradicted(
  parts: Parts,
  target: Target,
  value: string,
  { status, errorCode }: Ended,
): Promise<boolean> {
  const isRefusal = status === 'FAILED' && errorCode === 'DEVICE_REFUSED';
  if (!isRefusal || target.point.rw === 'WRITE_ONLY') return false;
  try {
    const held = await readAndPublish(parts, target, parts.clock.now() + READ_BACK_MS);
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
