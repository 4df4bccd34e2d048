import type { SavedSession } from '../../dtls/saved-session.ts';
import type { DriverHost } from '../../sdk/driver.ts';
import type { RegistrationStore } from '../registration/store.ts';
import type { Lwm2mPorts } from '../security/ports.ts';
import type { PskIndex } from '../security/psk-index.ts';

/** The DTLS sessions of an earlier process until their devices, and with them their keys, are known. */
export type RestoredSessions = {
  /** False where a saved session of the device was opened with none of its keys. */
  restore(deviceId: string): boolean;
  /** Forgets those that no device has the key of, once all devices are known. */
  sweep(): void;
};

export function createRestoredSessions(
  sessions: readonly SavedSession[],
  {
    host,
    store,
    psk,
    ports,
  }: {
    host: Pick<DriverHost, 'synced'>;
    store: Pick<RegistrationStore, 'sessions'> | null;
    psk: Pick<PskIndex, 'keysOfDevice'>;
    ports: Pick<Lwm2mPorts, 'restore'>;
  },
): RestoredSessions {
  const waiting = Map.groupBy(sessions, ({ holder }) => holder);
  return {
    restore(deviceId) {
      const keys = psk.keysOfDevice(deviceId);
      const own = waiting.get(deviceId) ?? [];
      waiting.delete(deviceId);
      return own.map((session) => ports.restore(session, keys)).every(Boolean);
    },
    sweep() {
      if (waiting.size === 0 || !host.synced()) return;
      for (const { id } of [...waiting.values()].flat()) store?.sessions.remove(id);
      waiting.clear();
    },
  };
}
