import type { Bus } from '../../../src/bus/bus.ts';
import type { Payload } from '../../../src/bus/topic/topics.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/process/log.ts';
import { bytesOf, portions } from '../batches.ts';
import type { CenterTime } from '../center-time.ts';
import type { Driver, DriverDevice } from '../driver.ts';
import type { Serving } from '../serving.ts';
import { within } from '../wait.ts';

/** docs/specification/drivers.md, Device health check. */
const HEARTBEAT_MS = 15_000;
const LEASE_MS = 45_000;
/** Largest number of devices in one `svc.e.state` message. */
const MAX_DEVICES = 10_000;
/** Size of the ids and names of a state in JSON. */
const STATE_BYTES = 150;
/** Size of an address and its change. */
const PEER_BYTES = 600;
const MAX_ISSUE = 256;
const PUBLISH_TIMEOUT_MS = 5_000;

type Parts = {
  driver: Driver;
  devices: ReadonlyMap<string, DriverDevice>;
  serving: Serving;
  time: Pick<CenterTime, 'now'>;
  bus: Bus;
  clock: Clock;
  log: Log;
  node: string;
  /** Number and versions of all devices of this node; null before the node is registered. */
  known: () => Payload<'svc.e.state'>['known'] | null;
  /** Why the last read of a device had no answer. */
  readIssueOf?: (device: DriverDevice) => string | undefined;
};

/** Publishes the states of devices: all of them with each heartbeat, a changed one at once. */
export class StateReporter {
  readonly #parts: Parts;
  readonly #changed = new Set<string>();
  #isReporting = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async leave() {
    try {
      await this.#publish([], { leaving: true });
    } catch (error) {
      this.#parts.log.warn({ error }, 'devices of this node not released');
    }
  }

  start() {
    const { clock, known, devices } = this.#parts;
    return clock.every(HEARTBEAT_MS, () => {
      const all = known();
      return this.#beat(() => [...devices.values()], all ? { known: all } : {});
    });
  }

  changed(device: DriverDevice): void {
    this.#changed.add(device.id);
    // Changes of the same turn are published together.
    queueMicrotask(() => void this.#reportChanged());
  }

  async #publish(
    reported: readonly DriverDevice[],
    more: Pick<Payload<'svc.e.state'>, 'leaving' | 'known'> = {},
  ): Promise<void> {
    const { serving, driver, readIssueOf, node, time, clock, bus } = this.#parts;
    const states = reported.flatMap((device) => {
      const claim = serving.claimOf(device);
      if (!claim) return [];
      const { status, description } = driver.status(device);
      const { tenantId, id: deviceId } = device;
      const issue = readIssueOf?.(device)?.slice(0, MAX_ISSUE);
      const sleeper = driver.sleeper?.(device);
      return {
        tenantId,
        deviceId,
        status,
        description: description.slice(0, 1024),
        ...(issue && { readIssue: issue }),
        ...(sleeper && { commandLifeMs: sleeper.commandLifeMs }),
        ...claim,
      };
    });
    const head = { driverCode: driver.code, node, leaseMs: LEASE_MS };
    const bytes = ({ description, readIssue = '', peer }: (typeof states)[number]) =>
      STATE_BYTES + bytesOf(description) + bytesOf(readIssue) + (peer ? PEER_BYTES : 0);
    // Also without any device: the message is the driver's own heartbeat.
    const parts = states.length > 0 ? portions(states, MAX_DEVICES, bytes) : [[]];
    for (const part of parts) {
      const last = part === parts.at(-1) ? more : {};
      const centerAt = time.now();
      const message = {
        ...head,
        at: clock.now(),
        ...(centerAt !== null && { centerAt: Math.round(centerAt) }),
        devices: part,
        ...last,
      };
      const sent = bus.publish('svc.e.state', message, { key: driver.code });
      await within(clock, PUBLISH_TIMEOUT_MS, sent);
    }
  }

  async #beat(
    reported: () => readonly DriverDevice[],
    more?: Pick<Payload<'svc.e.state'>, 'known'>,
  ): Promise<void> {
    try {
      await this.#publish(reported(), more);
    } catch (error) {
      this.#parts.log.warn({ error }, 'device states could not be delivered');
    }
  }

  /** Changes during a publish go out together with the next one. */
  async #reportChanged(): Promise<void> {
    if (this.#isReporting) return;
    this.#isReporting = true;
    while (this.#changed.size > 0)
      await this.#beat(() => {
        const reported = [...this.#changed].flatMap((id) => this.#parts.devices.get(id) ?? []);
        this.#changed.clear();
        return reported;
      });
    this.#isReporting = false;
  }
}
