import type { Clock } from '../../../src/kernel/clock.ts';
import type { DriverDevice, DriverHost } from '../../sdk/driver.ts';
import { createTurns } from '../../sdk/turns.ts';
import type { Devices } from '../device/devices.ts';
import type { Pull } from './pull.ts';

const AT_ONCE = 16;
const PROBE_MS = 5_000;
const FIRST_PAUSE_MS = 15_000;
const LAST_PAUSE_MS = 300_000;

/** Asks devices whether they answer: at once, and while they do not again after growing pauses. */
export class Probes {
  readonly #host: DriverHost;
  readonly #clock: Clock;
  readonly #devices: Devices;
  readonly #turns: ReturnType<typeof createTurns>;
  /** By device id: how often it has not answered in turn, and when it is asked again. */
  readonly #silent = new Map<string, { times: number; nextAt: number }>();

  constructor(parts: { host: DriverHost; clock: Clock; devices: Devices; pull: Pull }) {
    const { host, clock, devices, pull } = parts;
    this.#host = host;
    this.#clock = clock;
    this.#devices = devices;
    this.#turns = createTurns(AT_ONCE, async (id) => {
      const device = host.devices().get(id);
      if (device && this.#isWanted(device)) await pull.probe(device, clock.now() + PROBE_MS);
    });
  }

  changed(device: DriverDevice): void {
    this.#silent.delete(device.id);
    if (this.#isWanted(device)) this.#turns.heard(device.id);
  }

  removed({ id }: Pick<DriverDevice, 'id'>): void {
    this.#silent.delete(id);
  }

  /** Notes that a device answered, or did not. */
  answered({ id }: DriverDevice, isThere: boolean): void {
    if (isThere) {
      this.#silent.delete(id);
      return;
    }
    const times = (this.#silent.get(id)?.times ?? 0) + 1;
    const pauseMs = Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(times - 1, 10));
    this.#silent.set(id, { times, nextAt: this.#clock.elapsed() + pauseMs });
  }

  /** Probes each device that is not online and whose pause between probes has passed. */
  look(): void {
    const now = this.#clock.elapsed();
    for (const device of this.#host.devices().values()) {
      if (!this.#isWanted(device) || this.#devices.status(device).status === 'ONLINE') continue;
      if (now >= (this.#silent.get(device.id)?.nextAt ?? 0)) this.#turns.heard(device.id);
    }
  }

  stop(): void {
    this.#turns.stop();
  }

  #isWanted(device: DriverDevice): boolean {
    const { url } = this.#devices.of(device.id) ?? { url: null };
    return url !== null && device.enabled && this.#host.serves(device);
  }
}
