import type { DriverDevice } from './driver.ts';

/** Devices that are gone are remembered, so that late news of them does not bring them back. */
const MAX_KNOWN = 200_000;

/** Which news of a device is newer than what the driver knows: messages may overtake each other. */
export type KnownVersions = {
  /** Whether the message is not older than the last one on this device; then it counts from now on. */
  isNews(deviceId: string, version?: number): boolean;
  /** The devices of which nothing was said with a version after `since`. */
  goneSince(since: number): DriverDevice[];
};

export function createKnownVersions(devices: ReadonlyMap<string, DriverDevice>): KnownVersions {
  const versions = new Map<string, number>();
  return {
    isNews(deviceId, version = 0) {
      if (version < (versions.get(deviceId) ?? 0)) return false;
      versions.delete(deviceId);
      versions.set(deviceId, version);
      if (versions.size > MAX_KNOWN) {
        const [oldest] = [...versions.keys()].filter((id) => !devices.has(id)).slice(0, 1);
        if (oldest !== undefined) versions.delete(oldest);
      }
      return true;
    },
    goneSince: (since) => [...devices.values()].filter(({ id }) => (versions.get(id) ?? 0) < since),
  };
}
