import { DriverFailure } from '../sdk/driver.ts';
import type { ResourcePath } from './path.ts';

/**
 * Resources that are executed, not written (OMA Core 1.1, appendix E, and the IPSO sensors). Nothing
 * in a point says so, hence this list; a write to one of them becomes POST.
 */
const executable: Readonly<Record<number, readonly number[]>> = {
  // Server: disable, registration update trigger, bootstrap request trigger
  1: [4, 8, 9],
  // Device: reboot, factory reset, reset error code
  3: [4, 5, 12],
  // Firmware update: update
  5: [2],
  // Connectivity statistics: start, stop
  7: [6, 7],
};
/** IPSO sensors 3300 to 3350: reset the measured minimum and maximum. */
const RESET_MIN_MAX = 5605;
const ARGUMENTS = /^\d(='[^']*')?(,\d(='[^']*')?)*$/;

export function isExecutable({ objectId, resourceId }: ResourcePath): boolean {
  if (objectId >= 3300 && objectId <= 3350) return resourceId === RESET_MIN_MAX;
  return executable[objectId]?.includes(resourceId) ?? false;
}

/**
 * The arguments of the execution that `value` asks for: none for `true`, `1` or an empty text, else
 * Execute arguments such as `0='http'`. Throws `DriverFailure`: writing `false` must not reboot.
 */
export function executeArguments(value: string): Buffer {
  if (value === '' || value === '1' || value.toLowerCase() === 'true') return Buffer.alloc(0);
  if (ARGUMENTS.test(value) && value !== '0') return Buffer.from(value);
  throw new DriverFailure('VALUE_INVALID', 'an executable resource takes true, 1 or its arguments');
}
