import type { DriverDevice } from '../../sdk/driver.ts';
import type { Registration } from '../registration/registration.ts';

/** MAX_TRANSMIT_WAIT (RFC 7252 4.8.2): so long a device in queue mode listens after it spoke (OMA Core 1.1, 6.5). */
const AWAKE_S = 93;
const DAY_S = 86_400;
/** As for a device that listens all the time (docs/specification/limits.md, Command). */
const MIN_LIFE_S = 10;

/** How long the device listens after it spoke, in milliseconds. */
export const awakeMsOf = (device: Pick<DriverDevice, 'configs'>): number =>
  (secondsOf(device, 'awakeTime') ?? AWAKE_S) * 1_000;

/**
 * How long a command waits for the device to wake, in milliseconds: as long as the device says, else until it has to
 * report once more by its lifetime.
 */
export function commandLifeMsOf(
  device: Pick<DriverDevice, 'configs'>,
  { lifetimeS }: Pick<Registration, 'lifetimeS'>,
): number {
  const life = secondsOf(device, 'commandLife') ?? (lifetimeS === 0 ? DAY_S : lifetimeS);
  return Math.min(Math.max(life, MIN_LIFE_S), DAY_S) * 1_000;
}

/** Null for 0, for nothing and for what is no number of seconds. */
function secondsOf({ configs }: Pick<DriverDevice, 'configs'>, code: string): number | null {
  const text = (configs[code] ?? '').trim();
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return seconds > 0 && seconds <= DAY_S ? seconds : null;
}
