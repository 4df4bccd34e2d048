import type { DriverDevice } from './driver.ts';

/** Devices that are gone are remembered, so that late news of them does not bring them back. */
const MAX_GONE = 100_000;

/** Which news of a device is newer than what the driver knows: messages may overtake each other. */
export type KnownVersions = {
  /** Whether the message is not older than the last one on this device; then it counts from now on. */
  isNews(deviceId: string, version?: number): boolean;
  /** The device is gone; that it went, and when, is remembered for a while. */
  isGone(deviceId: string): void;
  /** Of all devices that are there, for the manager center to compare. */
  summary(): { devices: number; versions: string };
  /** The devices of which nothing was said with a version after `since`. */
  goneSince(since: number): DriverDevice[];
};

export function createKnownVersions(devices: ReadonlyMap<string, DriverDevice>): KnownVersions {
  const versions = new Map<string, number>();
  /** Those that were not there at their last news, the oldest first; some came since. */
  const gone = new Set<string>();
  return {
    isNews(deviceId, version = 0) {
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
