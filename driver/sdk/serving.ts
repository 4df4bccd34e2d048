import type { Payload } from '../../src/bus/topic/topics.ts';
import type { CenterTime } from './center-time.ts';
import type { Doubt, Driver, DriverDevice, Reading } from './driver.ts';

type Message = Extract<Payload<'svc.e.metadata'>, { kind: 'serving' }>;
type Claim = Pick<Payload<'svc.e.state'>['devices'][number], 'claim' | 'heldMs' | 'peer'>;
type Peer = Message['devices'][number]['peer'];

const uncompared: Doubt = {
  code: 'PEER_UNCOMPARED',
  message:
    'the device has registered at this driver node, and the platform has not compared its address yet ' +
    'with the one that it had before',
};

/**
 * Which node of the driver serves which device. A device that registers is served where it registered last;
 * any other by the node that the manager center chooses among those that asked for it.
 */
export type Serving = {
  /** Whether this node collects from the device. */
  isMine(device: DriverDevice): boolean;
  /** Whether another node serves the device. */
  isElsewhere(device: DriverDevice): boolean;
  /** The claim in a report on the device; null while another node serves the device and reports on it. */
  claimOf(device: DriverDevice): Claim | null;
  /**
   * Whether the center has compared the device's address here with the one before, perhaps at another copy.
   * Until then it may be another device.
   */
  isCompared(device: DriverDevice): boolean;
  /** Why answers of the device must not count as verified; null without doubt. */
  doubtOf(device: DriverDevice): Doubt | null;
  /** The reading, with the doubt about its device. */
  withDoubt(device: DriverDevice, reading: Reading): Reading;
  know(deviceId: string, node: string): void;
  /** Applies an assignment by the center; answers the devices on which this node has to report again. */
  take(message: Message): DriverDevice[];
  forget(deviceId: string): void;
};

export function createServing({
  driver,
  devices,
  time,
  node,
}: {
  driver: Driver;
  devices: ReadonlyMap<string, DriverDevice>;
  time: Pick<CenterTime, 'learn' | 'since'>;
  node: string;
}): Serving {
  /** By device id; devices without a serving node are absent. */
  const nodes = new Map<string, string>();
  /** By device id: the address that the center has compared. */
  const hosts = new Map<string, string>();

  const heldMs = (device: DriverDevice): number | null => driver.heldMs?.(device) ?? null;
  const isMine = (device: DriverDevice): boolean =>
    driver.heldMs ? heldMs(device) !== null : nodes.get(device.id) === node;
  const isElsewhere = (device: DriverDevice): boolean =>
    !isMine(device) && (nodes.get(device.id) ?? node) !== node;

  function isCompared(device: DriverDevice): boolean {
    const peer = driver.peer?.(device);
    return !peer || hosts.get(device.id) === peer.host;
  }

  function know(deviceId: string, server: string): void {
    if (server !== node) hosts.delete(deviceId);
    if (server === '') nodes.delete(deviceId);
    else nodes.set(deviceId, server);
  }

  const doubtOf = (device: DriverDevice): Doubt | null =>
    driver.doubt?.(device) ?? (isCompared(device) ? null : uncompared);

  /** Stores the compared address; false when the device answers from another address by now. */
  function compare(device: DriverDevice, given: Peer): boolean {
    const peer = driver.peer?.(device);
    if (!peer || !given) return true;
    if (peer.host !== given.host) return false;
    if (given.change) driver.peerChanged?.(device, given.change);
    hosts.set(device.id, given.host);
    return true;
  }

  /** Only the serving copy reports a change: other copies may know an older one. */
  function peerOf(device: DriverDevice): Claim['peer'] {
    const peer = driver.peer?.(device);
    if (!peer) return undefined;
    const { host, change } = peer;
    const isKnown = change !== null && nodes.get(device.id) === node;
    const claim = device.claim?.number;
    return { host, ...(claim && { claim }), ...(isKnown && { change }) };
  }

  return {
    isMine,
    isElsewhere,
    isCompared,
    doubtOf,
    withDoubt(device, reading) {
      const doubt = doubtOf(device);
      return doubt ? { ...reading, doubt: doubt.message } : reading;
    },
    claimOf(device) {
      if (isElsewhere(device)) return null;
      const held = heldMs(device);
      if (driver.heldMs && held === null) return { claim: 'none' };
      const claim = nodes.get(device.id) === node && isCompared(device) ? 'keeps' : 'asks';
      if (held === null) return { claim };
      const peer = peerOf(device);
      return { claim, heldMs: Math.max(0, Math.round(held)), ...(peer && { peer }) };
    },
    know,
    take(message) {
      const again: DriverDevice[] = [];
      if (message.at !== undefined) time.learn(message.at);
      // The ages of registrations are as of the sending of the message, which may have waited in its queue.
      const late = message.at === undefined ? 0 : time.since(message.at);
      for (const { tenantId, deviceId, heldMs: theirs, peer } of message.devices) {
        const device = devices.get(deviceId);
        if (device?.tenantId !== tenantId) continue;
        const mine = heldMs(device);
        know(deviceId, message.node);
        if (message.node === node) {
          if (!compare(device, peer)) again.push(device);
          continue;
        }
        // The device may have registered here after the center made the assignment.
        if (message.node === '' || (mine !== null && mine < (theirs ?? 0) + late))
          again.push(device);
        else driver.taken?.(device);
      }
      return again;
    },
    forget(deviceId) {
      nodes.delete(deviceId);
      hosts.delete(deviceId);
    },
  };
}
