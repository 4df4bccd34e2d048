import type { Clock } from '../../../src/kernel/clock.ts';
import type { DriverDevice } from '../../sdk/driver.ts';
import type { Registration } from '../registration/registration.ts';
import { awakeMsOf } from './queue-mode-settings.ts';

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
