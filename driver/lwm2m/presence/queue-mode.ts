import type { Clock } from '../../../src/kernel/clock.ts';
import type { DriverDevice } from '../../sdk/driver.ts';
import type { Registration } from '../registration/registration.ts';

/** MAX_TRANSMIT_WAIT (RFC 7252 4.8.2): so long a device in queue mode listens after it spoke (OMA Core 1.1, 6.5). */
const AWAKE_S = 93;
const DAY_S = 86_400;
/** As for a device that listens all the time (docs/specification/limits.md, Command). */
const MIN_LIFE_S = 10;

/** The answer to what the device sent goes first. */
const AFTER_ANSWER_MS = 100;

type LastContact = { at: number; isSilent: boolean };

/** Which devices in queue mode listen now (OMA Core 1.1, 6.5): for a while after they spoke, until they leave an answer out. */
export type QueueModeDevices = {
  isAwake(device: Pick<DriverDevice, 'configs'>, registration: Registration): boolean;
  /** The device sent something of its own, or registered: it listens, and what waits for it is sent. */
  spoke(registration: Registration, isNew?: boolean): void;
  /** It answered a request, so it goes on listening. */
  answered(registration: Registration): void;
  /** It did not answer: it sleeps until it speaks. */
  silent(registration: Registration): void;
  forget(deviceId: string): void;
  stop(): void;
};

export function createQueueMode(clock: Clock, woke: (deviceId: string) => void): QueueModeDevices {
  /** By device id, of the monotonic clock; devices that listen all the time are absent. */
  const contacts = new Map<string, LastContact>();
  const lately = new Set<string>();
  let cancelTimer: (() => void) | null = null;

  return {
    isAwake(device, { deviceId, heardAt }) {
      const last = contacts.get(deviceId);
      if (last?.isSilent) return false;
      // After a restart only the time of its registration or update is known.
      const sinceMs = last ? clock.elapsed() - last.at : clock.now() - heardAt;
      return sinceMs >= 0 && sinceMs < awakeMsOf(device);
    },
    spoke({ deviceId, queueMode }, isNew = false) {
      const slept = contacts.delete(deviceId);
      if (queueMode) contacts.set(deviceId, { at: clock.elapsed(), isSilent: false });
      // For one that listens all the time nothing waits, unless it was in queue mode before it registered.
      else if (!slept && !isNew) return;
      lately.add(deviceId);
      cancelTimer ??= clock.after(AFTER_ANSWER_MS, () => {
        cancelTimer = null;
        const ids = [...lately];
        lately.clear();
        for (const id of ids) woke(id);
      });
    },
    answered({ deviceId, queueMode }) {
      if (queueMode) contacts.set(deviceId, { at: clock.elapsed(), isSilent: false });
    },
    silent({ deviceId, queueMode }) {
      if (queueMode) contacts.set(deviceId, { at: clock.elapsed(), isSilent: true });
    },
    forget(deviceId) {
      contacts.delete(deviceId);
      lately.delete(deviceId);
    },
    stop() {
      cancelTimer?.();
      lately.clear();
    },
  };
}

/** How long the device listens after it spoke, in milliseconds. */
const awakeMsOf = (device: Pick<DriverDevice, 'configs'>): number =>
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
