import type { Clock } from '../../../src/kernel/clock.ts';
import { storable } from '../../../src/kernel/input/text.ts';
import type { Log } from '../../../src/kernel/process/log.ts';
import type { Peer } from '../../coap/contract.ts';
import type { DriverHost, WaitingEndpoint } from '../../sdk/driver.ts';
import { hostOf } from './peer.ts';

/** Endpoints kept: those that proved a key apart from all others, so that a flood in clear cannot displace them. */
const LIMITS = { open: { all: 1_000, each: 50 }, proven: { all: 1_000, each: 10 } };
const KEPT_MS = 86_400_000;
const REPORT_EVERY_MS = 5_000;
const AT_ONCE = 200;
const MAX_ENDPOINT = 255;

/** An endpoint that is no device's and was refused; `key` is the device whose key it proved. */
type Waiting = { endpoint: string; host: string; key: string | null } & {
  since: number;
  last: number;
  attempts: number;
};

/** The endpoints that were refused because no device has their name, reported to the platform in batches. */
export type WaitingEndpoints = {
  refused(endpoint: string, peer: Peer): void;
  close(): void;
};

export function createWaitingEndpoints({
  host,
  clock,
  log,
}: {
  host: Pick<DriverHost, 'devices' | 'waiting'>;
  clock: Clock;
  log: Log;
}): WaitingEndpoints {
  /** In the order in which they were heard last. */
  const rooms = { open: new Map<string, Waiting>(), proven: new Map<string, Waiting>() };
  const changed = new Set<Waiting>();
  let displaced = 0;

  /** Makes room for one more of the same host or key; the one that was heard least recently goes. */
  function makeRoom(room: keyof typeof rooms, isAlike: (one: Waiting) => boolean): void {
    const all = rooms[room];
    const gone = clock.now() - KEPT_MS;
    for (const [key, one] of all) {
      if (one.last > gone) break;
      all.delete(key);
    }
    const { all: most, each } = LIMITS[room];
    const alike = [...all].filter(([, one]) => isAlike(one));
    const [oldest] = alike.length >= each ? alike : all.size >= most ? all : [];
    if (!oldest) return;
    displaced += 1;
    all.delete(oldest[0]);
    changed.delete(oldest[1]);
  }

  async function report(): Promise<void> {
    const batch = [...changed].slice(0, AT_ONCE);
    if (batch.length === 0) return;
    const rows = batch.flatMap((one) => rowOf(one) ?? []);
    for (const one of batch) changed.delete(one);
    try {
      if (rows.length > 0) await host.waiting(rows);
    } catch (error) {
      for (const one of batch) changed.add(one);
      log.warn({ error }, 'waiting endpoints not sent to the platform, retrying');
    }
    if (displaced > 0) log.warn({ displaced }, 'more unknown endpoints than can be stored');
    displaced = 0;
  }

  function rowOf({ key, ...one }: Waiting): WaitingEndpoint | null {
    if (key === null) return one;
    const device = host.devices().get(key);
    return device ? { ...one, key: { tenantId: device.tenantId, deviceId: device.id } } : null;
  }

  const stop = clock.every(REPORT_EVERY_MS, report);
  return {
    refused(endpoint, peer) {
      // A name that no device can be configured with.
      if (endpoint.length > MAX_ENDPOINT || storable(endpoint) !== endpoint) return;
      const key = peer.proven?.deviceId ?? null;
      const from = hostOf(peer);
      const room = key === null ? 'open' : 'proven';
      const name = `${key ?? ''} ${endpoint}`;
      const found = rooms[room].get(name);
      if (!found) makeRoom(room, (one) => (key === null ? one.host === from : one.key === key));
      const now = clock.now();
      const one = found ?? { endpoint, host: from, key, since: now, last: now, attempts: 0 };
      Object.assign(one, { host: from, last: now, attempts: one.attempts + 1 });
      rooms[room].delete(name);
      rooms[room].set(name, one);
      changed.add(one);
    },
    close: stop,
  };
}
