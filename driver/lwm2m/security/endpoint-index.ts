import type { DriverDevice } from '../../sdk/driver.ts';

/**
 * The devices that own an endpoint name. All tenants share the sockets. In clear the platform gives a name to one
 * device only; devices that prove a key share one with those of other tenants (`DriverDevice.claim`). The driver
 * follows these claims and decides nothing itself.
 */
export type EndpointIndex = {
  /** The device that has the name in clear. */
  inClear(endpoint: string): string | null;
  /** All devices with the name, in the order in which they were announced. */
  ownersOf(endpoint: string): string[];
  /** The endpoint that the device holds; null without one or when another device holds it. */
  endpointOf(deviceId: string): string | null;
  /** Applies the device's claim; answers the devices that lost the name they had. */
  changed(device: Pick<DriverDevice, 'id' | 'tenantId' | 'claim'>): string[];
  removed(deviceId: string): string[];
};

type Owner = { deviceId: string; tenantId: string; number: bigint; proven: boolean };

export function createEndpointIndex(): EndpointIndex {
  const owners = new Map<string, readonly Owner[]>();
  const holds = new Map<string, string>();

  const allOf = (endpoint: string): readonly Owner[] => owners.get(endpoint) ?? [];

  function release(deviceId: string): string[] {
    const endpoint = holds.get(deviceId);
    if (endpoint === undefined) return [];
    const rest = allOf(endpoint).filter((owner) => owner.deviceId !== deviceId);
    if (rest.length > 0) owners.set(endpoint, rest);
    else owners.delete(endpoint);
    holds.delete(deviceId);
    return [deviceId];
  }

  return {
    inClear: (endpoint) => allOf(endpoint).find(({ proven }) => !proven)?.deviceId ?? null,
    ownersOf: (endpoint) => allOf(endpoint).map(({ deviceId }) => deviceId),
    endpointOf: (deviceId) => holds.get(deviceId) ?? null,
    changed({ id: deviceId, tenantId, claim }) {
      const released = holds.get(deviceId) === claim?.endpoint ? [] : release(deviceId);
      if (!claim) return released;
      const { endpoint, proven = false } = claim;
      const own: Owner = { deviceId, tenantId, number: BigInt(claim.number), proven };
      const rivals = allOf(endpoint).filter((owner) => isRival(owner, own));
      // The updates of two devices may arrive in another order than their claims were made.
      if (rivals.some(({ number }) => number > own.number))
        return [...released, ...release(deviceId)];
      for (const rival of rivals) released.push(...release(rival.deviceId));
      const others = allOf(endpoint).filter((owner) => owner.deviceId !== deviceId);
      owners.set(endpoint, [...others, own]);
      holds.set(deviceId, endpoint);
      return released;
    },
    removed: release,
  };
}

/** Whether only one of two devices can have the name. */
const isRival = (one: Owner, other: Owner): boolean =>
  one.deviceId !== other.deviceId &&
  (one.tenantId === other.tenantId || (!one.proven && !other.proven));
