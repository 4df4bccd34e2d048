import type { Peer } from '../../coap/contract.ts';
import type { DriverHost } from '../../sdk/driver.ts';
import type { EndpointIndex } from './endpoint-index.ts';

/**
 * The device that a peer says it is by this endpoint name; null when no device has the name. With a proven key it is
 * the device of the key, if that has the name; else the one that has it in clear, else one that takes a key for it,
 * both of which refuse a peer without the right one.
 */
export function claimedBy(
  { proven }: Pick<Peer, 'proven'>,
  endpoint: string,
  endpoints: Pick<EndpointIndex, 'inClear' | 'ownersOf' | 'endpointOf'>,
): string | null {
  if (proven && endpoints.endpointOf(proven.deviceId) === endpoint) return proven.deviceId;
  return endpoints.inClear(endpoint) ?? endpoints.ownersOf(endpoint)[0] ?? null;
}

/** Whether a device of the tenant whose key the peer proved could still be given this name. */
export function isFree(
  endpoint: string,
  { proven }: Pick<Peer, 'proven'>,
  endpoints: Pick<EndpointIndex, 'ownersOf'>,
  host: Pick<DriverHost, 'devices'>,
): boolean {
  const prover = proven && host.devices().get(proven.deviceId);
  if (!prover) return false;
  const owners = endpoints.ownersOf(endpoint).map((id) => host.devices().get(id)?.tenantId);
  return !owners.includes(prover.tenantId);
}
