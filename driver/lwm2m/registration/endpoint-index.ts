import type { DriverDevice } from '../../sdk/driver.ts';

/**
 * The device that owns an endpoint name. All tenants share one socket, and the platform gives a name to one
 * device only (`DriverDevice.claim`); the driver follows these claims and decides nothing itself.
 */
export type EndpointIndex = {
  deviceOf(endpoint: string): string | null;
  /** The endpoint that the device holds; null without one or when another device holds it. */
  endpointOf(deviceId: string): string | null;
  /** Applies the device's claim; answers the endpoints that changed their owner. */
  changed(device: Pick<DriverDevice, 'id' | 'claim'>): string[];
  removed(deviceId: string): string[];
};

export function createEndpointIndex(): EndpointIndex {
  const owners = new Map<string, { deviceId: string; number: bigint }>();
  const holds = new Map<string, string>();

  function release(deviceId: string): string[] {
    const endpoint = holds.get(deviceId);
    if (endpoint === undefined) return [];
    owners.delete(endpoint);
    holds.delete(deviceId);
    return [endpoint];
  }

  return {
    deviceOf: (endpoint) => owners.get(endpoint)?.deviceId ?? null,
    endpointOf: (deviceId) => holds.get(deviceId) ?? null,
    changed({ id, claim }) {
      const released = holds.get(id) === claim?.endpoint ? [] : release(id);
      if (!claim) return released;
      const { endpoint } = claim;
      const number = BigInt(claim.number);
      const owner = owners.get(endpoint);
      // The updates of two devices may arrive in another order than their claims were made.
      if (owner && owner.number > number) return released;
      owners.set(endpoint, { deviceId: id, number });
      holds.set(id, endpoint);
      if (!owner || owner.deviceId === id) return released;
      holds.delete(owner.deviceId);
      return [...released, endpoint];
    },
    removed: release,
  };
}
