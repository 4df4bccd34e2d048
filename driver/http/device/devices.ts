import type { Clock } from '../../../src/kernel/clock.ts';
import { type Driver, type DriverDevice, DriverFailure } from '../../sdk/driver.ts';
import { offline } from '../../sdk/failure.ts';
import { bind, type BoundDevice } from './binding.ts';
import { DeviceState } from './device-state.ts';

type Known = { device: DriverDevice; bound: BoundDevice | DriverFailure; state: DeviceState };

/** The devices of a started driver with their settings, and which of them push for which. */
export class Devices {
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();
  /** Ids of devices by their tenant and the name of the gateway that pushes for them. */
  readonly #children = new Map<string, Set<string>>();
  /** Ids by tenant and name: those of gateways. */
  readonly #names = new Map<string, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  changed(device: DriverDevice): void {
    const state = this.#known.get(device.id)?.state ?? new DeviceState(this.#clock);
    this.removed(device);
    const bound = boundOf(device);
    this.#known.set(device.id, { device, bound, state });
    this.#names.set(nameOf(device, device.name), device.id);
    if (bound instanceof DriverFailure || bound.settings.gateway === '') return;
    const gateway = nameOf(device, bound.settings.gateway);
    this.#children.set(gateway, (this.#children.get(gateway) ?? new Set()).add(device.id));
  }

  removed({ id }: Pick<DriverDevice, 'id'>): void {
    const known = this.#known.get(id);
    if (!known) return;
    this.#known.delete(id);
    const name = nameOf(known.device, known.device.name);
    if (this.#names.get(name) === id) this.#names.delete(name);
    if (known.bound instanceof DriverFailure) return;
    const gateway = nameOf(known.device, known.bound.settings.gateway);
    const children = this.#children.get(gateway);
    children?.delete(id);
    if (children?.size === 0) this.#children.delete(gateway);
  }

  /** The device with its settings; undefined where it is none of ours, or they make no sense. */
  of(id: string): BoundDevice | undefined {
    const bound = this.#known.get(id)?.bound;
    return bound instanceof DriverFailure ? undefined : bound;
  }

  /** As `of`. Throws `DriverFailure` in place of undefined. */
  demand({ id }: Pick<DriverDevice, 'id'>): BoundDevice {
    const bound = this.#known.get(id)?.bound;
    if (bound === undefined) throw offline('the device is not known at this node');
    if (bound instanceof DriverFailure) throw bound;
    return bound;
  }

  /** The devices that `key` names in a push of `sender`: the sender, and devices of its tenant whose setting `gateway` names it. */
  namedBy(sender: BoundDevice, key: string): BoundDevice[] {
    const children = this.#children.get(nameOf(sender.device, sender.device.name)) ?? [];
    const own = key === sender.key ? [sender] : [];
    const all = [...own, ...[...children].flatMap((id) => this.of(id) ?? [])];
    return [...new Set(all)].filter((bound) => bound.key === key);
  }

  stateOf(id: string): DeviceState | undefined {
    return this.#known.get(id)?.state;
  }

  status(device: DriverDevice): ReturnType<Driver['status']> {
    if (!device.enabled) return absent('disabled');
    const known = this.#known.get(device.id);
    if (!known) return absent('not known at this node yet');
    const { bound, state } = known;
    if (bound instanceof DriverFailure) return absent(bound.message);
    const { secrets, settings } = bound;
    const { gateway, silentS } = settings;
    if (gateway !== '' && !this.#names.has(nameOf(device, gateway)))
      return absent('gateway: the HTTP driver has no device of that name');
    if (bound.url) return state.asked();
    const where = secrets.length > 0 ? `POST /push/${device.id}` : 'its gateway';
    return state.status(silentS, where);
  }
}

const nameOf = ({ tenantId }: Pick<DriverDevice, 'tenantId'>, name: string): string =>
  `${tenantId} ${name}`;

const absent = (description: string) => ({ status: 'OFFLINE', description }) as const;

function boundOf(device: DriverDevice): BoundDevice | DriverFailure {
  try {
    return bind(device);
  } catch (error) {
    if (error instanceof DriverFailure) return error;
    throw error;
  }
}
