import type { Worker } from 'node:worker_threads';

import type { Place } from '../../driver/sdk/driver.ts';
import type { FirstPassword } from '../auth/seed.ts';
import type { Bus } from '../bus/bus.ts';
import { connect, type Database } from '../db/connect.ts';
import type { App } from '../kernel/app/app.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { endFollowing } from '../kernel/feed/follow.ts';
import { type Metrics, noMetrics } from '../kernel/metrics/metrics.ts';
import type { Config } from '../kernel/process/config.ts';
import { humanLine } from '../kernel/process/human-line.ts';
import { createLog, type Log } from '../kernel/process/log.ts';
import { createOutageLog } from '../kernel/process/outage-log.ts';
import { deriveKeys, storedSecret } from '../kernel/secret.ts';
import { openSlots } from '../kernel/slot.ts';
import { openBus } from './bus.ts';
import { openFigures } from './figures.ts';
import { type FirstLogin, UnfinishedStart } from './first-login.ts';
import { startHeartbeat } from './heartbeat.ts';
import { createParts, type Parts } from './parts.ts';
import { bindPorts, openDriverPort, type Ports } from './ports.ts';
import type { DriverProcess } from './services.ts';
import type { Settings } from './settings.ts';

export type Overrides = {
  clock?: Clock;
  log?: Log;
  metrics?: Metrics;
  bus?: Bus;
  db?: Database;
  /** Of the embedded database, started ahead. */
  thread?: Worker | undefined;
  /** Called when the database is empty, before its first migration. */
  onNewDatabase?: () => void;
};

export type Platform = {
  app: App;
  /** Where the drivers of this process listen. */
  listening: readonly Place[];
  ports: Ports;
  firstLogin: FirstLogin;
  stop(): Promise<void>;
};

/** Builds the App: database, bus and keys; no port listens yet. */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  const { baseUrl, proxy } = config.agentic.fallback;
  const process = await createProcess(config, overrides);
  const { clock, log } = process;
  const { thread, onNewDatabase: onNew } = overrides;
  const { databaseUrl, dataDir, services } = config;
  const preparation = {
    ...(services.has('agentic') && { memory: config.agentic.memory }),
    ...(onNew && { onNew }),
  };
  try {
    const [db, { openEgress, registry }] = await Promise.all([
      overrides.db ?? connect({ databaseUrl, dataDir, clock, log, thread, ...preparation }),
      import('./late-imports.ts'),
    ]);
    return {
      ...process,
      db,
      keys: deriveKeys(config.secretKey ?? storedSecret(config.dataDir, 'secret-key')),
      egress: openEgress(config.egressAllow, proxy ? [baseUrl, proxy.url] : []),
      of: openSlots(clock, db.engine),
      ...registry,
    };
  } catch (error) {
    await process.bus.close();
    throw error;
  }
}

/** Dependencies of every process, also one with drivers only: time, log and the bus. */
async function createProcess(
  config: Config,
  { clock = systemClock, log: lines = processLog(config), metrics = noMetrics, bus }: Overrides,
): Promise<DriverProcess> {
  const log = createOutageLog(lines, clock);
  for (const warning of [...config.warnings, ...config.unsafe]) log.warn({}, warning);
  return {
    config,
    clock,
    log,
    metrics,
    bus: bus ?? (await openBus({ ...config.bus, clock, log })),
    crashAt: crashAt(config.crashAt),
  };
}

/** Readable lines if standard error is a terminal, else JSON for log collectors. */
const processLog = ({ logLevel }: Config): Log =>
  process.stderr.isTTY
    ? createLog(logLevel, (line) => void process.stderr.write(humanLine(line)))
    : createLog(logLevel);

/** `name` or `name:n`: kills the process when it reaches that point for the n-th time. */
function crashAt(setting: string | null): (point: string) => void {
  const [name, count = '1'] = setting?.split(':') ?? [];
  let left = Number(count);
  return (point) => {
    if (point !== name || --left > 0) return;
    // SIGKILL: no handler, no flush, like a power cut.
    process.kill(process.pid, 'SIGKILL');
  };
}

/** Starts the services of this process: its ports first, then consumers and drivers. */
export async function startPlatform(given: Settings, overrides: Overrides = {}): Promise<Platform> {
  const ports = await bindPorts(given, overrides.clock ?? systemClock);
  try {
    const { services, admin } = ports.settings;
    let password: Promise<FirstPassword> | undefined;
    const app = await createApp(ports.settings, {
      ...overrides,
      metrics: ports.metrics,
      // The half second of its hash passes beside the migrations.
      onNewDatabase: () => {
        if (services.has('auth'))
          password = import('./late-imports.ts').then(({ firstPassword }) => firstPassword(admin));
        // A refused one is thrown where it is awaited, after the migrations.
        password?.catch(() => {});
      },
    });
    const parts = createParts(app.log);
    parts.add({ stop: () => app.db.close() });
    parts.add({ stop: () => app.bus.close() });
    parts.add({ stop: () => app.egress.close() });
    const { createCenter, createGateway, seedAuth, startCenters, startDrivers, startGauges } =
      await import('./late-imports.ts');
    return await stopOnError(parts, async () => {
      startGauges(app);
      await startCenters(app, parts);
      const firstLogin = await seedAuth(app, await password);
      const starting = startDrivers(app, given.drivers, parts);
      const { listening, unregistered } = await starting.catch((error: unknown) => {
        throw firstLogin?.generatedPassword ? new UnfinishedStart(error, firstLogin) : error;
      });
      ports.serve((name) =>
        name === 'gateway'
          ? createGateway(app, unregistered)
          : createCenter(app, name, unregistered),
      );
      parts.add(ports);
      parts.add({ stop: () => endFollowing(app) });
      const { metrics: _, ...answering } = ports.ports;
      parts.add(startHeartbeat(app, Object.values(answering)));
      return { app, listening, ports: ports.ports, firstLogin, stop: () => parts.stop() };
    });
  } catch (error) {
    await ports.stop();
    throw error;
  }
}

export type DriverPlatform = Pick<Platform, 'listening' | 'stop'> & {
  /** Port of `/livez` and `/readyz`. */
  healthPort: number;
  /** Port of `/metrics`; null without one. */
  metricsPort: number | null;
  log: Log;
};

/** Starts a process with drivers only: it has the bus, but neither database nor secrets. */
export async function startDriverPlatform(
  settings: Settings,
  overrides: Overrides = {},
): Promise<DriverPlatform> {
  const figures = await openFigures(settings, overrides.clock ?? systemClock);
  const process = await createProcess(settings, { ...overrides, metrics: figures.metrics }).catch(
    async (error: unknown) => {
      await figures.stop();
      throw error;
    },
  );
  const parts = createParts(process.log);
  parts.add(figures);
  parts.add({ stop: () => process.bus.close() });
  return stopOnError(parts, async () => {
    const { createDriverHealth, measureBus, startDrivers } = await import('./late-imports.ts');
    measureBus(process);
    const { listening, unregistered } = await startDrivers(process, settings.drivers, parts);
    const handler = createDriverHealth(process, unregistered);
    const { port: healthPort } = parts.add(await openDriverPort(process, handler));
    parts.add(startHeartbeat(process, [healthPort]));
    return {
      listening,
      healthPort,
      metricsPort: figures.port,
      log: process.log,
      stop: () => parts.stop(),
    };
  });
}

async function stopOnError<T>(parts: Parts, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    await parts.stop();
    throw error;
  }
}
