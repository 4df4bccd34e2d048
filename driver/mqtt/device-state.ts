import type { Clock } from '../../src/kernel/clock.ts';
import { at, parseJson, textOf } from '../report/json.ts';
import type { Driver } from '../sdk/driver.ts';
import type { BoundDevice } from './binding.ts';
import type { Message } from './broker/connection.ts';

const MAX_TEXT = 100;

/** What is known of whether a device is there: from its status topic, else from what it sends. */
export class DeviceState {
  readonly #clock: Clock;
  #status: { isOnline: boolean; text: string } | null = null;
  #heardAt: number | null = null;
  #leftOut = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The device has sent something now. */
  heard(): void {
    this.#heardAt = this.#clock.elapsed();
  }

  /** Values that the broker had stored, without a time. */
  leftOut(count: number): void {
    this.#leftOut += count;
  }

  /** A last will says that the device is gone; the broker may have stored either, which is as true. */
  takeStatus({ payload }: Message, { settings }: BoundDevice): void {
    const { statusPath, online } = settings;
    const whole = payload.toString();
    const found = statusPath?.length ? textOf(at(parseJson(whole), statusPath)) : plain(whole);
    const text = (found ?? whole).slice(0, MAX_TEXT);
    this.#status = { isOnline: online.has(text.trim().toLowerCase()), text };
  }

  /** Without its broker nothing is known of the device. */
  disconnected(): void {
    this.#status = null;
    this.#heardAt = null;
  }

  status({ settings, statusTopic }: BoundDevice): ReturnType<Driver['status']> {
    if (statusTopic !== '') {
      const status = this.#status;
      if (!status) return offline(`nothing came at ${statusTopic} yet`);
      if (status.isOnline) return { status: 'ONLINE', description: 'connected, as it says itself' };
      return offline(`gone: its status is "${status.text}"`);
    }
    const ageMs = this.#heardAt === null ? null : this.#clock.elapsed() - this.#heardAt;
    const stored =
      this.#leftOut > 0 ? `; ${this.#leftOut} stored without a time were left out` : '';
    if (ageMs === null) return offline(`nothing came from it yet${stored}`);
    if (ageMs <= settings.silentS * 1000)
      return { status: 'ONLINE', description: 'it sends by itself' };
    return offline(`silent for ${Math.floor(ageMs / 1000)} s`);
  }
}

const offline = (description: string) => ({ status: 'OFFLINE', description }) as const;

/** A text that is a JSON string, or as it is. */
function plain(whole: string): string {
  const text = textOf(parseJson(whole));
  return text ?? whole;
}
