import type { Peer } from '../coap/contract.ts';

export const isSameHost = (one: Peer, other: Peer): boolean => one.address === other.address;
export const isSamePeer = (one: Peer, other: Peer): boolean =>
  isSameHost(one, other) && one.port === other.port;
