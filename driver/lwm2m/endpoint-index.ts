import type { Log } from '../../src/core/log.ts';
import type { DriverDevice } from '../sdk/driver.ts';

/**
 * Which device an endpoint name belongs to. All tenants share one socket, so a name belongs to one
 * device only: the one that had it first. Another device's claim waits until the name is free.
 */
export type EndpointIndex = {
  deviceOf(endpoint: string): string | null;
  /** The endpoint the device holds, or null when it has none or another device holds it. */
  endpointOf(deviceId: string): string | null;
  /** Takes over the device's configuration; returns the endpoint it gave up by that, or null. */
  changed(device: Pick<DriverDevice, 'id' | 'configs'>): string | null;
  removed(deviceId: string): string | null;
  /** Frees a name that was held over a restart for a device that never came back. */
  abandoned(endpoint: string): void;
};

/** `held`: endpoint and device from before a restart, so that nobody takes a name over in between. */
export function createEndpointIndex(
  held: Iterable<readonly [string, string]>,
  log: Log,
): EndpointIndex {
  const owners = new Map(held);
  const holds = new Map([...owners].map(([endpoint, deviceId]) => [deviceId, endpoint]));
  const wanted = new Map<string, string>();

  function claim(endpoint: string, deviceId: string): void {
    const owner = owners.get(endpoint);
    if (owner !== undefined && owner !== deviceId)
      return log.warn({ endpoint, deviceId }, 'the endpoint belongs to another device: refused');
    owners.set(endpoint, deviceId);
    holds.set(deviceId, endpoint);
  }

  function release(deviceId: string): string | null {
    const endpoint = holds.get(deviceId);
    if (endpoint === undefined) return null;
    owners.delete(endpoint);
    holds.delete(deviceId);
    const next = [...wanted].find(([id, name]) => name === endpoint && id !== deviceId);
    if (next) claim(endpoint, next[0]);
    return endpoint;
  }

  return {
    deviceOf(endpoint) {
      const owner = owners.get(endpoint);
      return owner !== undefined && wanted.get(owner) === endpoint ? owner : null;
    },
    endpointOf(deviceId) {
      const endpoint = holds.get(deviceId);
      return endpoint !== undefined && wanted.get(deviceId) === endpoint ? endpoint : null;
    },
    changed({ id, configs }) {
      const endpoint = configs['endpoint'] ?? '';
      if (endpoint === '') wanted.delete(id);
      else wanted.set(id, endpoint);
      const released = holds.get(id) === endpoint ? null : release(id);
      if (endpoint !== '') claim(endpoint, id);
      return released;
    },
    removed(deviceId) {
      wanted.delete(deviceId);
      return release(deviceId);
    },
    abandoned(endpoint) {
      const owner = owners.get(endpoint);
      if (owner !== undefined && wanted.get(owner) !== endpoint) release(owner);
    },
  };
}
