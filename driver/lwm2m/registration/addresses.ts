import type { Peer } from '../../coap/contract.ts';
import type { SavedRegistration as Registration } from './journal.ts';

/** Which registration is at which address. In clear only the address tells two devices apart. */
export type Addresses = {
  /** The registration spoke from its address: whatever else was there is gone. */
  take(registration: Registration): void;
  /** Another may have come to its address since. */
  leave(registration: Registration): void;
  at(peer: Peer): Registration | undefined;
  /**
   * Whether another device spoke from this address since: it would answer what is sent there. Devices behind one
   * address differ by the path of their objects, where that is another (OMA Core 1.1, 6.2.1).
   */
  isTaken(peer: Peer): boolean;
  /** The device at the second address spoke from the first one, as after a change of its address translator's mapping. */
  strayed(to: Peer, from: Peer): void;
  /** Whether a registration that spoke from its address again has to take it again. */
  isShared(peer: Peer): boolean;
};

/** `displaced` is called for a registration when its address is another's. */
export function createAddresses(displaced: (registration: Registration) => void): Addresses {
  const byAddress = new Map<string, Registration>();
  /** Addresses, as registrations hold them, that are those of others now. */
  const taken = new WeakSet<Peer>();
  /** Addresses at which there is or was another registration. */
  const shared = new WeakSet<Peer>();
  const holderOf = new WeakMap<Peer, Registration>();

  function displace(former: Registration): void {
    taken.add(former.peer);
    shared.add(former.peer);
    displaced(former);
  }

  return {
    take(registration) {
      const key = keyOf(registration.peer);
      const former = byAddress.get(key);
      byAddress.set(key, registration);
      holderOf.set(registration.peer, registration);
      if (!former || former === registration) return;
      shared.add(former.peer).add(registration.peer);
      if (isSameRoot(former, registration)) displace(former);
    },
    leave(registration) {
      const key = keyOf(registration.peer);
      if (byAddress.get(key) === registration) byAddress.delete(key);
    },
    at: (peer) => byAddress.get(keyOf(peer)),
    isTaken: (peer) => taken.has(peer),
    strayed(to, from) {
      const former = byAddress.get(keyOf(to));
      const strayed = byAddress.get(keyOf(from));
      // Another device may have come to where this one was asked, and this one may be known here already.
      const isStill = strayed && strayed.deviceId === holderOf.get(from)?.deviceId;
      if (!former || !isStill || former.deviceId === strayed.deviceId) return;
      if (!isSameRoot(former, strayed)) return;
      // None is known to be here until one speaks for itself.
      byAddress.delete(keyOf(to));
      displace(former);
    },
    isShared: (peer) => shared.has(peer),
  };
}

const keyOf = ({ proven, address, port }: Peer): string =>
  proven ? `session ${proven.session}` : `${address} ${port}`;

const isSameRoot = (one: Registration, other: Registration): boolean =>
  one.root.length === other.root.length && one.root.every((part, at) => part === other.root[at]);
