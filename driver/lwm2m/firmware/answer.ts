import type { DriverFailure, FirmwareUpdate } from '../../sdk/driver.ts';

type Answer = FirmwareUpdate['known']['answer'];

/** Incomplete, or too many requests: worth another attempt. */
const NOT_NOW = /4\.(08|29)/;

/**
 * What a failure says of an order to a device: NONE, it certainly has not taken it; REFUSED, it will not; SENT, it may be at
 * work on it. An error of the device itself (5.xx) leaves nothing of a package behind, but an installation may have begun.
 */
export function answerAfter(
  { code, message, outcome }: DriverFailure,
  phase: 'SENDING' | 'UPDATING',
): Answer {
  if (code !== 'DEVICE_REFUSED') return outcome === 'FAILED' ? 'NONE' : 'SENT';
  if (outcome === 'UNKNOWN') return phase === 'SENDING' ? 'NONE' : 'SENT';
  return NOT_NOW.test(message) ? 'NONE' : 'REFUSED';
}
