import type { Bus } from '../../src/bus/bus.ts';
import type { Payload } from '../../src/bus/topics.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { Log } from '../../src/core/log/log.ts';
import type { Driver, DriverDevice } from './driver.ts';
import { bytesOf, portions } from './portions.ts';
import type { Serving } from './serving.ts';
import { within } from './wait.ts';

/** docs/specification/drivers.md, Device health check. */
const HEARTBEAT_MS = 15_000;
const LEASE_MS = 45_000;
/** What one `svc.e.state` message may hold. */
const MAX_DEVICES = 10_000;
/** Ids and names of a state as JSON. */
const STATE_BYTES = 150;
/** An address, and a change of it. */
const PEER_BYTES = 600;
const PUBLISH_TIMEOUT_MS = 5_000;

/** Tells how the devices are: all of them with each heartbeat, a changed one at once. */
export function createStateReporter({
  driver,
  devices,
  serving,
  bus,
  clock,
  log,
  node,
  known,
}: {
  driver: Driver;
  devices: ReadonlyMap<string, DriverDevice>;
  serving: Serving;
  bus: Bus;
  clock: Clock;
  log: Log;
  node: string;
  /** What this node knows of all its devices; null while it cannot say. */
  known: () => Payload<'svc.e.state'>['known'] | null;
}): { start(): () => void; changed(device: DriverDevice): void; leave(): Promise<void> } {
  const changed = new Set<string>();
  let telling = false;

  async function publish(
    told: readonly DriverDevice[],
    more: Pick<Payload<'svc.e.state'>, 'leaving' | 'known'> = {},
  ): Promise<void> {
    const states = told.flatMap((device) => {
      const claim = serving.claimOf(device);
      if (!claim) return [];
      const { status, description } = driver.status(device);
      const { tenantId, id: deviceId } = device;
      return { tenantId, deviceId, status, description: description.slice(0, 1024), ...claim };
    });
    const head = { driverCode: driver.code, node, leaseMs: LEASE_MS };
    // Also without any device: the message is the driver's own heartbeat.
    const bytes = ({ description, peer }: (typeof states)[number]) =>
      STATE_BYTES + bytesOf(description) + (peer ? PEER_BYTES : 0);
    const parts = states.length > 0 ? portions(states, MAX_DEVICES, bytes) : [[]];
    for (const part of parts) {
      const last = part === parts.at(-1) ? more : {};
      const message = { ...head, at: clock.now(), devices: part, ...last };
      const sent = bus.publish('svc.e.state', message, { key: driver.code });
      await within(clock, PUBLISH_TIMEOUT_MS, sent);
    }
  }

  async function beat(
    told: () => readonly DriverDevice[],
    more?: Pick<Payload<'svc.e.state'>, 'known'>,
  ): Promise<void> {
    try {
      await publish(told(), more);
    } catch (error) {
      log.warn({ error }, 'device states could not be delivered');
    }
  }

  /** Changes that come while one message is on its way share the next. */
  async function tellChanged(): Promise<void> {
    if (telling) return;
    telling = true;
    while (changed.size > 0)
      await beat(() => {
        const told = [...changed].flatMap((id) => devices.get(id) ?? []);
        changed.clear();
        return told;
      });
    telling = false;
  }

  return {
    /** Frees the devices that any copy can serve; never throws. */
    async leave() {
      try {
        await publish([], { leaving: true });
      } catch (error) {
        log.warn({ error }, 'the devices of this node could not be given to another');
      }
    },
    start: () =>
      clock.every(HEARTBEAT_MS, () => {
        const all = known();
        return beat(() => [...devices.values()], all ? { known: all } : {});
      }),
    changed(device) {
      changed.add(device.id);
      // What changes of a device in one turn is told together.
      queueMicrotask(() => void tellChanged());
    },
  };
}
