import { isIP } from 'node:net';

import ipaddr from 'ipaddr.js';

const IPV6_NETWORK_BITS = 64;

/** For a connection that is closed already, or a proxy that forwards no valid address. */
const UNKNOWN = 'unknown';

/**
 * The source that counts as one client: an IPv4 address, also one mapped to IPv6, or the /64 network of an
 * IPv6 address, which usually belongs to one subscriber.
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
