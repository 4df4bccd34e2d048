import type { Bus } from '../../../src/bus/bus.ts';
import type { Payload } from '../../../src/bus/topic/topics.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/process/log.ts';
import type { Driver } from '../driver.ts';
import { intervalOf } from '../schedule.ts';

const RETRY_MS = 1_000;
const RETRY_MAX_MS = 30_000;
const LOOK_MS = 100;

type Parts = {
  driver: Driver;
  bus: Bus;
  clock: Clock;
  log: Log;
  node: string;
  serviceHost?: string;
};

/** The registration of this node at the platform, repeated until the platform has sent all devices. */
export class Registration {
  readonly #parts: Parts;
  readonly #answered = Promise.withResolvers<void>();
  /** Resolves once all devices are known. */
  readonly answered = this.#answered.promise;
  #isAnswered = false;
  #stopped = false;
  #cancelRetry: (() => void) | undefined;
  #cancelLook: (() => void) | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  isAnswered(): boolean {
    return this.#isAnswered;
  }

  async begin(delay = RETRY_MS): Promise<void> {
    const { clock, log } = this.#parts;
    try {
      await this.#publish({ mandatory: true });
    } catch (error) {
      log.warn({ error }, 'driver registration not sent, retrying');
    }
    if (this.#isAnswered || this.#stopped) return;
    const next = Math.min(delay * 2, RETRY_MAX_MS);
    this.#cancelRetry = clock.after(delay, () => void this.begin(next));
  }

  /** The platform has sent all devices. */
  answer(devices: number): void {
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    this.#answered.resolve();
    this.#cancelRetry?.();
    this.#parts.log.info({ devices }, 'the driver is registered');
  }

  /** Makes the center send all devices again; an unregistered node repeats its registration anyway. */
  async again(): Promise<void> {
    if (this.#isAnswered && !this.#stopped) await this.#publish({});
  }

  /** A broker that comes back may have lost the messages in its queues. */
  repeatAfterOutages(): void {
    const { bus, clock, log } = this.#parts;
    let wasUp = true;
    this.#cancelLook = clock.every(LOOK_MS, async () => {
      const isUp = bus.isUp();
      const isBack = isUp && !wasUp;
      wasUp = isUp;
      if (!isBack) return;
      await this.again().catch((error: unknown) => {
        wasUp = false;
        log.warn({ error }, 'driver registration after an outage not sent, retrying');
      });
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelRetry?.();
    this.#cancelLook?.();
  }

  #publish(how: { mandatory?: true }): Promise<void> {
    const { driver, bus } = this.#parts;
    const declaration = declarationOf(this.#parts);
    return bus.publish('svc.e.driver_register', declaration, { key: driver.code, ...how });
  }
}

/** What a driver declares to the platform. */
function declarationOf({
  driver,
  node,
  serviceHost = '',
  clock,
}: Parts): Payload<'svc.e.driver_register'> {
  const readIntervalMs = intervalOf(driver.readCron, clock.now());
  const takes = new Map(Object.entries(driver.takes?.() ?? {}));
  const driverAttributes = driver.driverAttributes.map((attribute) => {
    const oneOf = takes.get(attribute.code);
    return oneOf ? { ...attribute, oneOf: [...oneOf] } : attribute;
  });
  return {
    driverCode: driver.code,
    driverName: driver.name,
    driverType: driver.type,
    // docs/specification/objects.md, Driver: a service named svc-driver-*.
    serviceName: `svc-driver-${driver.code.replace(/Driver$/, '').toLowerCase()}`,
    serviceHost,
    node,
    ...(readIntervalMs === null ? {} : { readIntervalMs }),
    driverAttributes,
    pointAttributes: [...driver.pointAttributes],
    commandAttributes: [...(driver.commandAttributes ?? [])],
    eventAttributes: [...(driver.eventAttributes ?? [])],
  };
}
