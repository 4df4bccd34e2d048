import type { DriverDevice, Place } from '../sdk/driver.ts';
import { bootstrapProblem } from './security/account.ts';
import { portProblem } from './security/named-port.ts';
import { pskProblem } from './security/psk-index.ts';
import { securityModeOf } from './security/refusal.ts';

/** What a device that is not registered has to know about its security mode. */
const WAITS = {
  NOSEC: null,
  PSK: 'securityMode is PSK: the device has to come over DTLS',
  UNKNOWN: 'securityMode is neither NOSEC nor PSK: the device is refused',
} as const;

/** What is said of a device that is not registered, with what keeps it from that where its configuration does. */
export function textOfAbsent(device: DriverDevice, places: readonly Place[]): string {
  const problem =
    portProblem(device, places) ??
    pskProblem(device) ??
    bootstrapProblem(device) ??
    WAITS[securityModeOf(device)];
  return problem === null ? 'not registered' : `not registered: ${problem}`;
}
