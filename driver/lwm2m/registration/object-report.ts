import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/process/log.ts';
import type { DriverHost } from '../../sdk/driver.ts';
import { FACTORY_KEY } from '../security/psk-index.ts';
import type { Registration } from './registration.ts';

const REPORT_EVERY_MS = 1_000;
/** Registrations in one report. */
const AT_ONCE = 500;

/** Tells the platform what devices registered, until it has stored it; unchanged objects once. */
export type ObjectReport = {
  registered(registration: Registration): void;
  forget(deviceId: string): void;
  close(): void;
};

export function createObjectReport({
  restored,
  host,
  clock,
  log,
}: {
  restored: readonly Registration[];
  host: Pick<DriverHost, 'devices' | 'synced' | 'registered'>;
  clock: Clock;
  log: Log;
}): ObjectReport {
  const pending = new Map(restored.map((one) => [one.deviceId, one]));
  /** What the platform has, by device. */
  const reported = new Map<string, string>();
  let telling = false;

  async function tell(): Promise<void> {
    // Before all devices are known, one that is missing may only be late.
    if (telling || pending.size === 0 || !host.synced()) return;
    telling = true;
    const batch = [...pending.values()]
      .slice(0, AT_ONCE)
      .map((one) => ({ one, text: textOf(one) }));
    try {
      const known = batch.flatMap(({ one, text }) => {
        const device = host.devices().get(one.deviceId);
        return device && reported.get(one.deviceId) !== text ? { device, ...reportOf(one) } : [];
      });
      if (known.length > 0) await host.registered(known);
      for (const { one, text } of batch) {
        // Registered anew meanwhile: that is reported next.
        if (pending.get(one.deviceId) !== one || textOf(one) !== text) continue;
        pending.delete(one.deviceId);
        if (host.devices().has(one.deviceId)) reported.set(one.deviceId, text);
      }
    } catch (error) {
      log.warn({ error }, 'registered objects not sent to the platform, retrying');
    } finally {
      telling = false;
    }
  }

  const stop = clock.every(REPORT_EVERY_MS, tell);
  return {
    registered(registration) {
      if (reported.get(registration.deviceId) === textOf(registration)) return;
      pending.set(registration.deviceId, registration);
    },
    forget(deviceId) {
      pending.delete(deviceId);
      reported.delete(deviceId);
    },
    close: stop,
  };
}

const reportOf = ({ endpoint, version, objects, leftOut, objectsAt, spent }: Registration) => ({
  endpoint,
  version,
  objects,
  leftOut,
  at: objectsAt,
  ...(spent && { spent: { attribute: FACTORY_KEY, digest: spent } }),
});

const textOf = ({ endpoint, version, objects, leftOut, spent }: Registration): string =>
  [endpoint, version, leftOut, spent ?? '', ...objects].join(' ');
