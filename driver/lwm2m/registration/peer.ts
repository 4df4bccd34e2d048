import type { Peer } from '../../coap/contract.ts';

/** Equal for sockets of both families; an IPv6 zone is local to each machine, so it is removed. */
export function hostOf({ address }: Pick<Peer, 'address'>): string {
  if (!address.includes(':')) return address;
  return address
    .replace(/^::ffff:(?=\d+\.)/i, '')
    .replace(/%.*$/, '')
    .toLowerCase();
}
export const isSameHost = (one: Peer, other: Peer): boolean => one.address === other.address;
export const isSamePeer = (one: Peer, other: Peer): boolean =>
  isSameHost(one, other) && one.port === other.port;
