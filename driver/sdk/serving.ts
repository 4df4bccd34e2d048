import type { Payload } from '../../src/bus/topics.ts';
import type { CenterTime } from './command/center-time.ts';
import type { Driver, DriverDevice } from './driver.ts';

type Message = Extract<Payload<'svc.e.metadata'>, { kind: 'serving' }>;
type Claim = Pick<Payload<'svc.e.state'>['devices'][number], 'claim' | 'heldMs'>;

/**
 * Which node of the driver serves which device. A device that registers is served where it registered
 * last; any other is served by the node that the manager center names among those that asked for it.
 */
export type Serving = {
  /** Whether this node collects from the device. */
  isMine(device: DriverDevice): boolean;
  /** Whether another node serves the device. */
  isElsewhere(device: DriverDevice): boolean;
  /** What a report on the device claims; null while another node serves it, which reports on it then. */
  claimOf(device: DriverDevice): Claim | null;
  know(deviceId: string, node: string): void;
  /** Takes over what the center says; answers the devices on which this node has to report again. */
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
  time: Pick<CenterTime, 'since'>;
  node: string;
}): Serving {
  /** By device id; a device without a serving node is left out. */
  const nodes = new Map<string, string>();

  const heldMs = (device: DriverDevice): number | null => driver.heldMs?.(device) ?? null;
  const isMine = (device: DriverDevice): boolean =>
    driver.heldMs ? heldMs(device) !== null : nodes.get(device.id) === node;
  const isElsewhere = (device: DriverDevice): boolean =>
    !isMine(device) && (nodes.get(device.id) ?? node) !== node;

  function know(deviceId: string, server: string): void {
    if (server === '') nodes.delete(deviceId);
    else nodes.set(deviceId, server);
  }

  return {
    isMine,
    isElsewhere,
    claimOf(device) {
      if (isElsewhere(device)) return null;
      const held = heldMs(device);
      if (driver.heldMs && held === null) return { claim: 'none' };
      const claim = nodes.get(device.id) === node ? 'keeps' : 'asks';
      return held === null ? { claim } : { claim, heldMs: Math.max(0, Math.round(held)) };
    },
    know,
    take(message) {
      const again: DriverDevice[] = [];
      // What waited in its queue says how long a device was held when it was sent.
      const late = message.at === undefined ? 0 : time.since(message.at);
      for (const { tenantId, deviceId, heldMs: theirs } of message.devices) {
        const device = devices.get(deviceId);
        if (device?.tenantId !== tenantId) continue;
        const mine = heldMs(device);
        know(deviceId, message.node);
        if (message.node === node) continue;
        // The device may have registered here after what the center knew when it said this.
        if (message.node === '' || (mine !== null && mine < (theirs ?? 0) + late))
          again.push(device);
        else driver.taken?.(device);
      }
      return again;
    },
    forget: (deviceId) => void nodes.delete(deviceId),
  };
}
