import type { Clock } from '../../../src/kernel/clock.ts';
import { Expected } from '../../report/expected.ts';
import type {
  DriverCommand,
  DriverDevice,
  DriverPoint,
  Reading,
  Report,
} from '../../sdk/driver.ts';
import { silent } from '../../sdk/failure.ts';
import { within } from '../../sdk/wait.ts';
import type { Devices } from '../device/devices.ts';
import type { Pull } from './pull.ts';
import { sendCall, sendValue } from './write.ts';

/** Writes, and what proves them: a later answer of the device, or a later push. */
export class Commands {
  readonly #clock: Clock;
  readonly #devices: Devices;
  readonly #pull: Pull;
  readonly #expected = new Expected();

  constructor(parts: { clock: Clock; devices: Devices; pull: Pull }) {
    this.#clock = parts.clock;
    this.#devices = parts.devices;
    this.#pull = parts.pull;
  }

  /** A value that was pushed: it may be what a write waits for. */
  pushed({ device, point, reading }: Report): void {
    this.#expected.offer(keyOf(device, point), reading);
  }

  async write(device: DriverDevice, point: DriverPoint, raw: string, deadline: number) {
    const key = keyOf(device, point);
    if (point.rw !== 'WRITE_ONLY') this.#expected.expect(key, raw, this.#clock.now());
    try {
      await sendValue(this.#pull, this.#devices.demand(device), { device, point, raw, deadline });
    } catch (error) {
      this.#expected.forget(key);
      throw error;
    }
  }

  /** A custom command: what the device answers, by name. */
  async call(
    device: DriverDevice,
    command: DriverCommand,
    params: Readonly<Record<string, string>>,
    deadline: number,
  ): Promise<Record<string, string>> {
    return sendCall(this.#pull, this.#devices.demand(device), { command, params, deadline });
  }

  async readBack(
    device: DriverDevice,
    point: DriverPoint,
    raw: string,
    deadline: number,
  ): Promise<Reading> {
    const key = keyOf(device, point);
    const now = this.#clock.now();
    const expectation = this.#expected.of(key) ?? this.#expected.expect(key, raw, now);
    try {
      if (this.#devices.demand(device).url)
        return await this.#pull.readBack(device, point, {
          raw,
          since: expectation.since,
          deadline,
        });
      return await within(
        this.#clock,
        Math.max(0, deadline - now),
        expectation.shown.promise,
      ).catch(() => {
        if (expectation.other) return expectation.other;
        throw silent('it pushed no value after the write');
      });
    } finally {
      this.#expected.forget(key);
    }
  }
}

const keyOf = (device: Pick<DriverDevice, 'id'>, point: Pick<DriverPoint, 'id'>): string =>
  `${device.id}/${point.id}`;
