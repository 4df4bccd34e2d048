import type { Peer } from '../coap/contract.ts';

/** The same for a socket of either family; an IPv6 zone is a matter of each machine. */
export const hostOf = ({ address }: Pick<Peer, 'address'>): string =>
  address
    .replace(/^::ffff:(?=\d+\.)/i, '')
    .replace(/%.*$/, '')
    .toLowerCase();
export const isSameHost = (one: Peer, other: Peer): boolean => one.address === other.address;
export const isSamePeer = (one: Peer, other: Peer): boolean =>
  isSameHost(one, other) && one.port === other.port;
