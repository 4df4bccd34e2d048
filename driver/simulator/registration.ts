import type { Clock } from '../../src/kernel/clock.ts';
import type { DeviceEvent, DeviceOptions } from './contract.ts';
import { Format } from './encoding.ts';
import { type Exchange, locationOf } from './stack.ts';

const LINK_FORMAT = 40;
const RETRY_MS = 2_000;
const RETRY_MAX_MS = 30_000;
const REBOOT_MS = 100;
const STOP_WAIT_MS = 2_000;

type Parts = {
  options: DeviceOptions;
  clock: Clock;
  /** Between two updates. */
  aliveMs: number;
  links: string;
  ask: Exchange;
  /** Before each registration: what the server knew of the device is void. */
  forget(): void;
  /** After a request without an answer. */
  renew(): void;
  /** What the device measured while it slept. */
  measured(): string | null;
  tell(event: DeviceEvent): void;
};

/** The registration of a device at its server: made, kept alive, made again once it is lost. */
export class Registration {
  readonly #parts: Parts;
  #location: string | null = null;
  #failures = 0;
  #stopped = false;
  #cancelTimer: (() => void) | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async keepAlive(): Promise<void> {
    const { options, aliveMs } = this.#parts;
    const work = this.#location === null ? this.#register() : this.#update(this.#location);
    const alive = await work.catch((error: unknown) => {
      const { endpoint, log } = options;
      log.warn({ endpoint, error }, 'the registration failed');
      return false;
    });
    if (this.#stopped) return;
    this.#failures = alive ? 0 : this.#failures + 1;
    const retryMs = RETRY_MS * 2 ** Math.min(this.#failures - 1, 10);
    this.again(alive ? aliveMs : Math.min(retryMs, RETRY_MAX_MS));
  }

  again(ms: number): void {
    if (this.#stopped) return;
    this.#cancelTimer?.();
    this.#cancelTimer = this.#parts.clock.after(ms, () => void this.keepAlive());
  }

  /** The device reboots, and knows nothing of a registration then. */
  restart(): void {
    this.#location = null;
    this.again(REBOOT_MS);
  }

  anew(): void {
    if (this.#stopped) return;
    this.#location = null;
    this.#cancelTimer?.();
    void this.keepAlive();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelTimer?.();
  }

  /** Resolves with the answer of the server, or after a while without one. */
  async leave(): Promise<void> {
    const { options, clock, ask, tell } = this.#parts;
    this.stop();
    if (this.#location === null) return;
    const patience = Promise.withResolvers<null>();
    const patienceMs = options.patienceMs ?? STOP_WAIT_MS;
    const cancel = clock.after(patienceMs, () => patience.resolve(null));
    const response = await Promise.race([ask('DELETE', this.#location), patience.promise]);
    cancel();
    if (response?.code === '2.02') tell({ event: 'de-registered' });
  }

  async #register(): Promise<boolean> {
    const { options, links, ask, forget, renew, tell } = this.#parts;
    forget();
    const query = [
      ...(options.endpoint === '' ? [] : [`ep=${options.endpoint}`]),
      `lt=${options.lifetimeS}`,
      'lwm2m=1.1',
      'b=U',
      ...(options.queue ? ['Q'] : []),
    ];
    const response = await ask('POST', '/rd', query, links, LINK_FORMAT);
    if (response?.code !== '2.01') {
      tell(response ? { event: 'refused', code: response.code } : { event: 'unreachable' });
      if (!response) renew();
      return false;
    }
    const location = locationOf(response);
    this.#location = location;
    tell({ event: 'registered', location });
    return true;
  }

  async #update(location: string): Promise<boolean> {
    const { ask, renew, tell } = this.#parts;
    const response = await ask('POST', location);
    if (response?.code === '2.04') {
      tell({ event: 'updated' });
      await this.#send();
      return true;
    }
    // Unknown at the server (4.04) or no answer: only a new registration helps.
    this.#location = null;
    if (!response) renew();
    return this.#register();
  }

  /** What the device measured while it slept (Send). */
  async #send(): Promise<void> {
    const { ask, measured, tell } = this.#parts;
    const values = measured();
    if (values === null) return;
    const response = await ask('POST', '/dp', [], values, Format.SENML_JSON);
    if (response?.code === '2.04') tell({ event: 'sent', values });
  }
}
