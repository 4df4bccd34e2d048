import type { Clock } from '../../../src/kernel/clock.ts';
import type { Registration } from '../registration/registration.ts';

/** As long as a lease: devices close a session and open the next, and a handshake over a lossy way takes its time. */
const GAP_MS = 45_000;

/** Devices without a DTLS session while their registration lives. */
export type SessionGaps = {
  /** Whether the device may be between two sessions; asked for the first time it is. */
  isBetween(registration: Registration): boolean;
  /** Its session was ended here: only a new one shows that the device is there. */
  ended(registration: Registration): void;
  /** It has a session. */
  isOver(registration: Registration): void;
};

export function createSessionGaps(clock: Pick<Clock, 'elapsed'>): SessionGaps {
  const since = new WeakMap<Registration, number>();
  return {
    isBetween(registration) {
      const began = since.get(registration) ?? clock.elapsed();
      since.set(registration, began);
      return clock.elapsed() - began < GAP_MS;
    },
    ended: (registration) => void since.set(registration, Number.NEGATIVE_INFINITY),
    isOver: (registration) => void since.delete(registration),
  };
}
