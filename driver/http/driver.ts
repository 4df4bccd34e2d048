import { isLoopbackName } from '../../src/kernel/request/loopback.ts';
import type { PackageContext } from '../package/context.ts';
import type { Driver, Place } from '../sdk/driver.ts';
import { misconfigured, reportsOnly } from '../sdk/failure.ts';
import { driverAttributes, pointAttributes } from './device/attributes.ts';
import { Devices } from './device/devices.ts';
import { PushServer } from './push/server.ts';

/** Devices and gateways that push their values by a signed webhook (docs/http.md). */
export function createHttpDriver({
  clock,
  log,
  listen,
}: PackageContext & { listen: { host: string; port: number } }): Driver {
  const devices = new Devices(clock);
  let server: PushServer | null = null;
  let port = listen.port;
  return {
    code: 'HttpDriver',
    name: 'HTTP Driver',
    type: 'DRIVER_CLIENT',
    driverAttributes,
    pointAttributes,
    readCron: '0/30 * * * * ?',
    async start(host) {
      server = new PushServer({ host, devices, clock, log });
      port = await server.open(listen.host, listen.port);
    },
    listening: () => [placeOf(listen.host, port)],
    deviceChanged: (device) => devices.changed(device),
    deviceRemoved(device) {
      devices.removed(device);
      server?.forget(device.id);
    },
    reportsOnly: () => true,
    status: (device) => devices.status(device),
    async read() {
      throw reportsOnly();
    },
    async write() {
      throw misconfigured('the device pushes this point; it cannot be written');
    },
    async stop() {
      await server?.close();
    },
  };
}

const placeOf = (host: string, port: number): Place => ({
  name: 'HTTP in',
  scheme: 'http',
  host,
  port,
  ...(isLoopbackName(host) && { note: 'this machine only, HTTP_IN_HOST=0.0.0.0 opens it' }),
});
