import type { Metrics } from '../../../src/kernel/metrics/metrics.ts';
import type { Driver, DriverDevice } from '../driver.ts';
import type { Serving } from '../serving.ts';
import type { Registration } from './registration.ts';

const STATUSES = ['ONLINE', 'OFFLINE', 'FAULT', 'MAINTAIN'] as const;

type Parts = {
  driver: Driver;
  devices: ReadonlyMap<string, DriverDevice>;
  serving: Serving;
  registration: Registration;
};

/** The figures of a driver: its registration, and the devices that this node serves by their connection. */
export function measureDriver(
  metrics: Metrics,
  { driver, devices, serving, registration }: Parts,
): void {
  const { code } = driver;
  metrics.gauge('svc_driver_registered', () => [
    { labels: { driver: code }, value: registration.isAnswered() ? 1 : 0 },
  ]);
  metrics.gauge('svc_driver_devices', () => {
    const served = [...devices.values()].filter((device) => serving.isMine(device));
    const counts = Map.groupBy(served, (device) => driver.status(device).status);
    return STATUSES.map((status) => ({
      labels: { driver: code, status },
      value: counts.get(status)?.length ?? 0,
    }));
  });
}
