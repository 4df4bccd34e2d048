import { isIP } from 'node:net';

import ipaddr from 'ipaddr.js';

const IPV6_NETWORK_BITS = 64;

/** Of a connection that is gone already, or of a proxy that forwards what is no address. */
const UNKNOWN = 'unknown';

/**
 * What counts as one client: an IPv4 address, also one written as IPv6, or the /64 network of an IPv6
 * address, which a single subscriber has to itself.
 */
export function sourceOf(address: string | undefined): string {
  if (address === undefined || isIP(address) === 0) return UNKNOWN;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${IPV6_NETWORK_BITS}`);
  return `${network.toString()}/${IPV6_NETWORK_BITS}`;
}

/** Whether a text is an address, or a network in CIDR notation. */
export const isAddressOrNetwork = (text: string): boolean =>
  isIP(text) !== 0 || ipaddr.isValidCIDR(text);
