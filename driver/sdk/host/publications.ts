import { hash, randomUUID } from 'node:crypto';

import type { Bus } from '../../../src/bus/bus.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { bytesOf, portions } from '../batches.ts';
import type {
  DriverDevice,
  DriverHost,
  Happening,
  RegisteredDevice,
  WaitingEndpoint,
} from '../driver.ts';
import { within } from '../wait.ts';

const TIMEOUT_MS = 10_000;
/** Largest number of devices in one `svc.e.registered` message. */
const MAX_DEVICES = 500;
/** Ids, times and names of the fields of a device in JSON, and those of an object's path. */
const DEVICE_BYTES = 250;
const PATH_BYTES = 20;

type To = { bus: Bus; clock: Clock; driverCode: string; node: string };

/** What a driver publishes through its host besides values. */
export const publicationsBy = (
  to: To,
): Pick<DriverHost, 'alarm' | 'happened' | 'registered' | 'waiting'> => ({
  alarm: (device, what) => publishAlarm(to, device, what),
  happened: (device, what) => publishEvent(to, device, what),
  registered: (devices) => publishRegistered(to, devices),
  waiting: (endpoints) => publishWaiting(to, endpoints),
});

/** Publishes what devices registered, in as many messages as it takes. */
async function publishRegistered(
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
async function publishWaiting(
  { bus, clock, driverCode, node }: To,
  waiting: readonly WaitingEndpoint[],
): Promise<void> {
  const message = { driverCode, node, devices: [], waiting: [...waiting] };
  const sent = bus.publish('svc.e.registered', message, { key: driverCode });
  await within(clock, TIMEOUT_MS, sent);
}

/** Resolves once the alarm cannot be lost any more. */
async function publishAlarm(
  { bus, clock, driverCode }: To,
  ...[{ id: entityId, tenantId }, what]: Parameters<DriverHost['alarm']>
): Promise<void> {
  const about = { tenantId, target: 'DEVICE', entityId } as const;
  const alarm = { ...about, type: 'STATE_FLIP', source: 'SYSTEM', ...what } as const;
  await within(clock, TIMEOUT_MS, bus.publish('svc.e.alarm', alarm, { key: driverCode }));
}

/** Parameters of an event, and characters of one; the rest is left out. */
const MAX_PARAMS = 64;
const MAX_PARAM = 4_096;
const MAX_MESSAGE = 1_024;

/** Resolves once the event cannot be lost any more. */
async function publishEvent(
  { bus, clock, driverCode }: To,
  device: DriverDevice,
  { event: code, occurTime, params = {}, message = '', id }: Happening,
): Promise<void> {
  const { id: deviceId, tenantId } = device;
  const { type = 'INFO', level = 'LOW' } = device.events?.find((each) => each.code === code) ?? {};
  const kept = Object.entries(params).slice(0, MAX_PARAMS);
  const recordId = id === undefined ? randomUUID() : uuidOf([tenantId, deviceId, code, id]);
  const report = {
    schemaVersion: 1,
    recordId,
    tenantId,
    deviceId,
    eventCode: code,
    eventType: type,
    eventLevel: level,
    params: Object.fromEntries(
      kept.map(([name, value]) => [name.slice(0, 64), value.slice(0, MAX_PARAM)]),
    ),
    message: message.slice(0, MAX_MESSAGE),
    occurTime,
  } as const;
  const sent = bus.publish('svc.e.event', report, { key: driverCode, messageId: recordId });
  await within(clock, TIMEOUT_MS, sent);
}

/** The same for the same parts (RFC 9562, 5.8: the digits are ours). */
function uuidOf(parts: readonly string[]): string {
  const digits = hash('sha256', JSON.stringify(parts)).slice(0, 32);
  return digits.replace(
    /^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/,
    (_, first: string, second: string, third: string, fourth: string, last: string) =>
      [first, second, `8${third}`, `a${fourth}`, last].join('-'),
  );
}
