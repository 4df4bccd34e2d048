import type { DriverDevice } from '../driver.ts';

/** Removed devices are remembered, so that a late message does not add them again. */
const MAX_GONE = 100_000;

/** Decides which message about a device is newer than the known one: messages may overtake each other. */
export type KnownVersions = {
  /** Whether the message is not older than the last one on this device; if so, stores its version. */
  isNewer(deviceId: string, version?: number): boolean;
  /** Marks the device as removed; its version is kept for a while. */
  isGone(deviceId: string): void;
  /** Number and sum of versions of the present devices, for the manager center to compare. */
  summary(): { devices: number; versions: string };
  /** Present devices with a last version before `since`. */
  goneSince(since: number): DriverDevice[];
};

export function createKnownVersions(devices: ReadonlyMap<string, DriverDevice>): KnownVersions {
  const versions = new Map<string, number>();
  /** Devices that were absent at their last message, oldest first; some may have come since. */
  const gone = new Set<string>();
  return {
    isNewer(deviceId, version = 0) {
      if (version < (versions.get(deviceId) ?? 0)) return false;
      versions.delete(deviceId);
      versions.set(deviceId, version);
      if (!devices.has(deviceId)) gone.add(deviceId);
      for (const oldest of gone) {
        if (devices.has(oldest)) gone.delete(oldest);
        else if (gone.size <= MAX_GONE) break;
        else if (gone.delete(oldest)) versions.delete(oldest);
      }
      return true;
    },
    isGone: (deviceId) => void gone.add(deviceId),
    summary() {
      let sum = 0n;
      for (const id of devices.keys()) sum += BigInt(versions.get(id) ?? 0);
      return { devices: devices.size, versions: String(sum) };
    },
    goneSince: (since) => [...devices.values()].filter(({ id }) => (versions.get(id) ?? 0) < since),
  };
}
