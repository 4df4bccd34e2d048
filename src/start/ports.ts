import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:net';

import { drivers, named } from '../../driver/index.ts';
import { loadPackage } from '../../driver/package/load.ts';
import type { Place } from '../../driver/sdk/driver.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Metrics } from '../kernel/metrics/metrics.ts';
import { type Center, CENTERS, DRIVER_PORTS, DRIVERS, PACKAGES } from '../kernel/process/layout.ts';
import { listen, type Listener, listenOnFirst } from '../kernel/request/listen.ts';
import { openFigures } from './figures.ts';
import type { DriverProcess } from './services.ts';
import type { Settings } from './settings.ts';

/** Listening ports of this process. */
export type Ports = Partial<Record<'gateway' | 'metrics' | Center, number>>;

export type BoundPorts = {
  /** With the ports that the system assigned for 0. */
  settings: Settings;
  ports: Ports;
  metrics: Metrics;
  /** Starts to answer at each port that was bound. */
  serve(handlerOf: (name: 'gateway' | Center) => RequestListener): void;
  stop(): Promise<void>;
};

/**
 * Binds the gateway's port or, without a gateway here, one for each center of this process, and checks that
 * the ports of its drivers are free: before anything is created, so that a start refused for a taken port
 * leaves no trace. The ports answer 503 until `serve`.
 */
export async function bindPorts(settings: Settings, clock: Clock): Promise<BoundPorts> {
  const { services, host } = settings;
  const wanted: [name: 'gateway' | Center, port: number][] = services.has('gateway')
    ? [['gateway', settings.port]]
    : CENTERS.filter((center) => services.has(center)).map((center) => [
        center,
        settings.centers[center].port,
      ]);
  const figures = await openFigures(settings, clock);
  const listeners = new Map<'gateway' | Center, Listener>();
  const stop = async (): Promise<void> => {
    await Promise.all([figures, ...listeners.values()].map((door) => door.stop()));
  };
  try {
    for (const [name, port] of wanted) listeners.set(name, await listen(clock, host, port));
    for (const driver of DRIVERS.filter((service) => services.has(service)))
      for (const place of drivers[driver].places?.(settings.drivers) ?? []) await demandFree(place);
    if (services.has(PACKAGES))
      for (const name of settings.drivers.SVC_DRIVERS) {
        const own = named.get(name);
        if (!own) await loadPackage(name, settings.drivers.SVC_DRIVERS_DIR);
        for (const place of own?.places?.(settings.drivers) ?? []) await demandFree(place);
      }
  } catch (error) {
    await stop();
    throw error;
  }
  const ports: Ports = Object.fromEntries([...listeners].map(([name, { port }]) => [name, port]));
  if (figures.port !== null) ports.metrics = figures.port;
  const port = ports.gateway ?? settings.port;
  return {
    // Metadata and links contain the port.
    settings: { ...settings, port, baseUrl: settings.baseUrl.replace(/:0$/, `:${port}`) },
    ports,
    metrics: figures.metrics,
    serve(handlerOf) {
      for (const [name, door] of listeners) door.serve(handlerOf(name));
    },
    stop,
  };
}

/** Binds the port for a moment; the driver binds it later, a port held by another program fails here. */
async function demandFree({ host, port, scheme }: Place): Promise<void> {
  if (port === 0) return;
  if (scheme === 'http') {
    const server = createServer().listen(port, host);
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    return;
  }
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  try {
    socket.bind(port, host);
    await once(socket, 'listening');
  } finally {
    socket.close();
  }
}

/** Opens the health port of a process with drivers only. */
export async function openDriverPort(
  { clock, config }: DriverProcess,
  handler: RequestListener,
): Promise<Listener> {
  const { host, driverPort } = config;
  const { asked, first } = driverPort;
  const ports =
    asked === null ? Array.from({ length: DRIVER_PORTS }, (_, i) => first + i) : [asked];
  const door = await listenOnFirst(clock, host, ports);
  door.serve(handler);
  return door;
}
