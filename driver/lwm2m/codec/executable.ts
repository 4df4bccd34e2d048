import { DriverFailure } from '../../sdk/driver.ts';
import type { ResourcePath } from './path.ts';

/**
 * Resources that are executed, not written (OMA Core 1.1, appendix E, and the IPSO objects), unless the
 * `operation` of the point says otherwise; a write to one of them becomes POST.
 */
const executable: Readonly<Record<number, readonly number[]>> = {
  // Server: disable, registration update trigger, bootstrap request trigger
  1: [4, 8, 9],
  // Device: reboot, factory reset, reset error code
  3: [4, 5, 12],
  // Firmware update: update, cancel
  5: [2, 10],
  // Connectivity statistics: start, stop
  7: [6, 7],
  // Software management: install, uninstall, activate, deactivate
  9: [4, 6, 10, 11],
};
/**
 * Resources of the IPSO objects 3200 to 3203 and 3300 to 3350: reset a counter, trigger a timer, clear a
 * display, reset the measured minimum and maximum, reset the cumulative energy, reset a bitmap.
 */
const ipso: readonly number[] = [5505, 5523, 5530, 5605, 5822, 5911];
const ARGUMENTS = /^\d(='[^']*')?(,\d(='[^']*')?)*$/;

export function isExecutable({ objectId, resourceId }: ResourcePath): boolean {
  const isIpso = (objectId >= 3200 && objectId <= 3203) || (objectId >= 3300 && objectId <= 3350);
  if (isIpso) return ipso.includes(resourceId);
  return executable[objectId]?.includes(resourceId) ?? false;
}

/**
 * The arguments for an execution: none for `true`, `1` or an empty text, else Execute arguments such as
 * `0='http'`. Throws `DriverFailure` otherwise: writing `false` must not reboot.
 */
export function executeArguments(value: string): Buffer {
  if (value === '' || value === '1' || value.toLowerCase() === 'true') return Buffer.alloc(0);
  if (ARGUMENTS.test(value) && value !== '0') return Buffer.from(value);
  throw new DriverFailure('VALUE_INVALID', 'an executable resource takes true, 1 or its arguments');
}
