import { z } from 'zod';

import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/process/log.ts';
import type { DriverDevice, DriverHost } from '../../sdk/driver.ts';

const Peer = z.object({ address: z.string() });
export const PeerChange = z.object({
  id: z.string(),
  endpoint: z.string(),
  deviceId: z.string(),
  from: Peer,
  to: Peer,
  at: z.number(),
  /** Whether the platform has the alarm about this change. */
  reported: z.boolean(),
});
/** A registration that moved to another address on the clear port, without proof of the device. */
export type PeerChange = z.infer<typeof PeerChange>;

const REPORT_EVERY_MS = 5_000;

export type PeerChanges = {
  add(change: PeerChange): void;
  /** The last change of a device. */
  lastOf(device: Pick<DriverDevice, 'id'>): PeerChange | null;
  /** The last change of a device while no person has confirmed it. */
  openFor(device: Pick<DriverDevice, 'id' | 'claim'>): PeerChange | null;
  /** Drops the change of a device that is gone or has another name. */
  keepOnly(device: Pick<DriverDevice, 'id'>, endpoint: string | null): void;
  close(): void;
};

/** The changes of address: each raises an alarm, and a doubt until the alarm is confirmed. */
export function createPeerChanges({
  restored,
  host,
  saved,
  clock,
  log,
}: {
  restored: readonly PeerChange[];
  host: Pick<DriverHost, 'alarm' | 'devices'>;
  saved: { put(change: PeerChange): void; remove(deviceId: string): void };
  clock: Clock;
  log: Log;
}): PeerChanges {
  const changes = new Map(restored.map((change) => [change.deviceId, change]));
  const telling = new Set<string>();

  async function tell(change: PeerChange): Promise<void> {
    const device = host.devices().get(change.deviceId);
    if (!device || telling.has(change.id)) return;
    telling.add(change.id);
    try {
      const message = textOf(change);
      await host.alarm(device, { message, reference: change.id, occurTime: change.at });
      change.reported = true;
      if (changes.get(change.deviceId) === change) saved.put(change);
    } catch (error) {
      log.warn({ deviceId: change.deviceId, error }, 'address change alarm not sent, retrying');
    } finally {
      telling.delete(change.id);
    }
  }

  const stop = clock.every(REPORT_EVERY_MS, () => {
    for (const change of changes.values()) if (!change.reported) void tell(change);
  });

  return {
    add(change) {
      const former = changes.get(change.deviceId);
      if (former?.id === change.id) return;
      changes.set(change.deviceId, change);
      saved.put(change);
      log.warn(change, 'registration moved to another address');
      // Two addresses that keep taking a name from each other must not raise an alarm each time.
      const isOften = former !== undefined && change.at - former.at < REPORT_EVERY_MS;
      if (!change.reported && !isOften) void tell(change);
    },
    lastOf: ({ id }) => changes.get(id) ?? null,
    openFor({ id, claim }) {
      const change = changes.get(id);
      return change && claim?.acknowledged !== change.id ? change : null;
    },
    keepOnly({ id }, endpoint) {
      const change = changes.get(id);
      if (!change || change.endpoint === endpoint) return;
      changes.delete(id);
      saved.remove(id);
    },
    close: stop,
  };
}

/** Text for people: in the alarm, in receipts and beside values. */
export function textOf({ endpoint, from, to }: PeerChange): string {
  return (
    `${endpoint} now answers from ${to.address} and no longer from ${from.address}; without ` +
    'encryption nothing shows that it is the same device. What it says counts as unverified until ' +
    'the alarm about it is confirmed'
  );
}
