import { BlockList, isIP } from 'node:net';

import type { Peer } from '../../coap/contract.ts';
import type { DriverDevice } from '../../sdk/driver.ts';
import { hostOf } from '../registration/peer.ts';

type Configured = Pick<DriverDevice, 'configs'>;
type Network = { text: string; addresses: BlockList };

const MAX_NETWORKS = 16;

/**
 * The networks within which a device may come from any address without an alarm, as a private access point gives them
 * out: `10.64.0.0/12, fd00::/8`. Null for a text that is none.
 */
export function networksIn(text: string): Network[] | null {
  const parts = text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
  const networks = parts.map(networkOf);
  return networks.length <= MAX_NETWORKS && networks.every((network) => network !== null)
    ? networks
    : null;
}

function networkOf(text: string): Network | null {
  const [address = '', prefix = '', ...more] = text.split('/');
  const family = isIP(address);
  const bits = /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (family === 0 || more.length > 0 || !(bits >= 1 && bits <= (family === 4 ? 32 : 128)))
    return null;
  const addresses = new BlockList();
  addresses.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6');
  return { text, addresses };
}

/** Devices are new objects whenever something of them changed. */
const known = new WeakMap<Configured, readonly Network[]>();

/** The trusted network of the device that the address is in; null without one. */
export function trustedNetworkOf(device: Configured, peer: Pick<Peer, 'address'>): string | null {
  let networks = known.get(device);
  if (!networks) {
    networks = networksIn(device.configs['trustedNetworks'] ?? '') ?? [];
    known.set(device, networks);
  }
  if (networks.length === 0) return null;
  const host = hostOf(peer);
  const family = isIP(host) === 6 ? 'ipv6' : 'ipv4';
  return networks.find(({ addresses }) => addresses.check(host, family))?.text ?? null;
}
