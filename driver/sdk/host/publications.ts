import type { Bus } from '../../../src/bus/bus.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { bytesOf, portions } from '../batches.ts';
import type { DriverHost, RegisteredDevice, WaitingEndpoint } from '../driver.ts';
import { within } from '../wait.ts';

const TIMEOUT_MS = 10_000;
/** Largest number of devices in one `svc.e.registered` message. */
const MAX_DEVICES = 500;
/** Ids, times and names of the fields of a device in JSON, and those of an object's path. */
const DEVICE_BYTES = 250;
const PATH_BYTES = 20;

type To = { bus: Bus; clock: Clock; driverCode: string; node: string };

/** Publishes what devices registered, in as many messages as it takes. */
export async function publishRegistered(
  { bus, clock, driverCode, node }: To,
  devices: readonly RegisteredDevice[],
): Promise<void> {
  const rows = devices.map(({ device: { id: deviceId, tenantId }, ...given }) => ({
    tenantId,
    deviceId,
    ...given,
  }));
  const bytes = ({ endpoint, objects }: (typeof rows)[number]) =>
    DEVICE_BYTES + bytesOf(endpoint) + objects.length * PATH_BYTES;
  for (const part of portions(rows, MAX_DEVICES, bytes)) {
    const sent = bus.publish(
      'svc.e.registered',
      { driverCode, node, devices: part },
      { key: driverCode },
    );
    await within(clock, TIMEOUT_MS, sent);
  }
}

/** Publishes endpoints that wait for a device, 200 at most. */
export async function publishWaiting(
  { bus, clock, driverCode, node }: To,
  waiting: readonly WaitingEndpoint[],
): Promise<void> {
  const message = { driverCode, node, devices: [], waiting: [...waiting] };
  const sent = bus.publish('svc.e.registered', message, { key: driverCode });
  await within(clock, TIMEOUT_MS, sent);
}

/** Resolves once the alarm cannot be lost any more. */
export async function publishAlarm(
  { bus, clock, driverCode }: To,
  ...[{ id: entityId, tenantId }, what]: Parameters<DriverHost['alarm']>
): Promise<void> {
  const about = { tenantId, target: 'DEVICE', entityId } as const;
  const alarm = { ...about, type: 'STATE_FLIP', source: 'SYSTEM', ...what } as const;
  await within(clock, TIMEOUT_MS, bus.publish('svc.e.alarm', alarm, { key: driverCode }));
}
