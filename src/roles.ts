import { drivers } from '../driver/index.ts';
import type { Driver } from '../driver/sdk/driver.ts';
import { type RunningDriver, startDriver } from '../driver/sdk/host.ts';
import { startActionSweeper } from './agentic/action/action-sweeper.ts';
import { startAttachmentSweeper } from './agentic/attachment/attachment-sweeper.ts';
import { startAlarms } from './alarm/start.ts';
import type { App } from './app.ts';
import { loginFailuresWritten } from './auth/login/login-failure.ts';
import { mcpCallsWritten } from './auth/mcp/mcp-audit.ts';
import { refreshCatalog } from './auth/mcp/mcp-tool.ts';
import { registerApis } from './auth/rights/api.ts';
import { registerResources, seed } from './auth/seed.ts';
import { type Center, CENTERS, DRIVER_PORTS } from './core/roles.ts';
import { startCommandResults } from './data/command/command-results.ts';
import { startEventReports } from './data/event/event-report.ts';
import { startIngest } from './data/value/ingest.ts';
import { createCenter } from './gateway/center.ts';
import { centers, permissionCodes } from './gateway/centers.ts';
import { createDriverDoor } from './gateway/driver-door.ts';
import { listen, listenOnFirst } from './gateway/listen.ts';
import { createGateway } from './gateway/server.ts';
import { startDriverRegistry } from './manager/driver-registry.ts';
import type { Parts } from './parts.ts';

/** Login and password of an admin that was made just now; the password only when it was generated. */
export type FirstLogin = { login: string; generatedPassword: string | null } | null;

/** The work of the centers that run here besides answering: consumers and sweepers. */
export async function startCenters(app: App, parts: Parts): Promise<FirstLogin> {
  const { roles } = app.config;
  let firstLogin: FirstLogin = null;
  // Stopped last, after the door is closed: what was called is still written down.
  parts.add({ stop: () => mcpCallsWritten(app) });
  parts.add({ stop: () => loginFailuresWritten(app) });
  if (roles.has('auth')) {
    firstLogin = await seed(app);
    await registerResources(app, permissionCodes());
    await registerApis(app, centers);
    await refreshCatalog(app);
  }
  if (roles.has('data')) {
    parts.add(await startIngest(app));
    parts.add(await startCommandResults(app));
    parts.add(await startEventReports(app));
    parts.add(await startAlarms(app));
  }
  if (roles.has('agentic')) {
    parts.add(startActionSweeper(app));
    parts.add(await startAttachmentSweeper(app));
  }
  if (roles.has('manager')) parts.add(await startDriverRegistry(app));
  return firstLogin;
}

/** All a driver gets: no database, no keys. */
export type DriverProcess = Pick<App, 'config' | 'clock' | 'log' | 'bus' | 'crashAt'>;

export type Drivers = {
  /** Null where the LwM2M driver does not run. */
  lwm2mPort: number | null;
  /** Codes of the drivers here that the platform does not know yet. */
  unregistered(): string[];
};

/** Starts the drivers whose roles run here. */
export async function startDrivers(process: DriverProcess, parts: Parts): Promise<Drivers> {
  const { clock, log, bus, config } = process;
  const { roles, dataDir, node, lwm2m } = config;
  const settings = { clock, log, dataDir, lwm2m };
  const crash = (point: string): void => process.crashAt(point);
  const running: { code: string; host: RunningDriver }[] = [];
  const start = async <D extends Driver>(driver: D): Promise<D> => {
    const host = await startDriver(driver, { bus, clock, log, node, dataDir, crash });
    running.push({ code: driver.code, host: parts.add(host) });
    return driver;
  };
  const { 'driver-lwm2m': createLwm2m, ...others } = drivers;
  const lwm2mDriver = roles.has('driver-lwm2m') ? await start(createLwm2m(settings)) : null;
  const here: ReadonlySet<string> = roles;
  for (const [role, create] of Object.entries(others))
    if (here.has(role)) await start(create(settings));
  return {
    lwm2mPort: lwm2mDriver?.port() ?? null,
    unregistered: () => running.flatMap(({ code, host }) => (host.registered() ? [] : [code])),
  };
}

/** Opens the health port of a process that has drivers and nothing else; answers where it is. */
export async function openDriverDoor(
  process: DriverProcess,
  parts: Parts,
  { unregistered }: Drivers,
): Promise<number> {
  const { host, driverPort } = process.config;
  const { asked, first } = driverPort;
  const ports =
    asked === null ? Array.from({ length: DRIVER_PORTS }, (_, i) => first + i) : [asked];
  const door = parts.add(await listenOnFirst(process.clock, host, ports));
  door.serve(createDriverDoor(process, unregistered));
  return door.port;
}

/** Where the doors of this process are. */
export type Ports = Partial<Record<'gateway' | Center, number>>;

/** Opens the public door or, where the gateway is elsewhere, one for each center that runs here. */
export async function openDoors(
  app: App,
  parts: Parts,
  waitingFor: () => string[],
): Promise<Ports> {
  const { roles, host } = app.config;
  if (roles.has('gateway')) {
    const door = parts.add(await listen(app.clock, host, app.config.port));
    const { port } = door;
    // Metadata and links name the port, so it has to be known before the gateway is built.
    app.config = { ...app.config, port, baseUrl: app.config.baseUrl.replace(/:0$/, `:${port}`) };
    door.serve(createGateway(app, waitingFor));
    return { gateway: port };
  }
  const ports: Ports = {};
  for (const center of CENTERS) {
    if (!roles.has(center)) continue;
    const door = parts.add(await listen(app.clock, host, app.config.centers[center].port));
    door.serve(createCenter(app, center, waitingFor));
    ports[center] = door.port;
  }
  return ports;
}
