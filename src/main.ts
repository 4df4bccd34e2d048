import { createServer } from 'node:http';

import { drivers } from '../driver/index.ts';
import type { Driver } from '../driver/sdk/driver.ts';
import { startDriver } from '../driver/sdk/host.ts';
import { tools } from '../tools/index.ts';
import { startActionSweeper } from './agentic/action-sweeper.ts';
import type { App } from './app.ts';
import { registerResources, seed } from './auth/seed.ts';
import type { Bus } from './bus/bus.ts';
import { createMemoryBus } from './bus/memory.ts';
import { type Clock, systemClock } from './core/clock.ts';
import { type Config, readConfig } from './core/config.ts';
import { deriveKeys } from './core/keys.ts';
import { createLog, type Log } from './core/log.ts';
import { startCommandResults } from './data/command-results.ts';
import { startIngest } from './data/ingest.ts';
import { connect } from './db/connect.ts';
import { permissionCodes } from './gateway/centers.ts';
import { createGateway } from './gateway/server.ts';
import { startDriverRegistry } from './manager/driver-registry.ts';

const STOP_CONNECTIONS_MS = 10_000;

export type Overrides = { clock?: Clock; log?: Log; bus?: Bus };

export type Platform = {
  app: App;
  lwm2mPort: number;
  /** Login and password of an admin that was made just now; the password only when it was generated. */
  firstLogin: { login: string; generatedPassword: string | null } | null;
  stop(): Promise<void>;
};

/** Builds the App: database, bus and keys, nothing listening yet. */
export async function createApp(
  config: Config,
  { clock = systemClock, log, bus }: Overrides = {},
): Promise<App> {
  const ownLog = log ?? createLog(config.logLevel);
  const db = await connect({
    databaseUrl: config.databaseUrl,
    dataDir: config.dataDir,
    clock,
    log: ownLog,
  });
  return {
    config,
    clock,
    log: ownLog,
    db,
    bus: bus ?? createMemoryBus({ clock, log: ownLog }),
    keys: deriveKeys(config.secretKey),
    tools,
    crashAt: crashAt(config.crashAt),
  };
}

/** `name` or `name:n`: the process ends when it comes to that point for the n-th time. */
function crashAt(setting: string | null): (point: string) => void {
  const [name, count = '1'] = setting?.split(':') ?? [];
  let left = Number(count);
  return (point) => {
    if (point !== name || --left > 0) return;
    // SIGKILL: no handler, no flush, as a power cut would have it.
    process.kill(process.pid, 'SIGKILL');
  };
}

/** Starts every role in this process: consumers first, then drivers, then the door. */
export async function startPlatform(config: Config, overrides: Overrides = {}): Promise<Platform> {
  const app = await createApp(config, overrides);
  const stops: (() => Promise<unknown>)[] = [() => app.db.close(), () => app.bus.close()];
  const started = <T extends { stop(): Promise<unknown> }>(part: T): T => {
    stops.push(() => part.stop());
    return part;
  };
  const stop = async (): Promise<void> => {
    for (const end of stops.splice(0).toReversed()) {
      await end().catch((error: unknown) =>
        app.log.error({ error }, 'a part did not stop cleanly'),
      );
    }
  };
  try {
    const firstLogin = await seed(app);
    await registerResources(app, permissionCodes());
    started(await startIngest(app));
    started(await startCommandResults(app));
    started(startActionSweeper(app));
    started(await startDriverRegistry(app));
    const settings = { ...app, dataDir: config.dataDir, lwm2m: config.lwm2m };
    const { 'driver-lwm2m': createLwm2m, ...others } = drivers;
    const lwm2m = createLwm2m(settings);
    for (const driver of [lwm2m, ...Object.values(others).map((create) => create(settings))]) {
      started(await startHostedDriver(app, driver));
    }
    started(await listen(app));
    return { app, lwm2mPort: lwm2m.port(), firstLogin, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function startHostedDriver(app: App, driver: Driver): Promise<{ stop(): Promise<void> }> {
  return startDriver(driver, {
    bus: app.bus,
    clock: app.clock,
    log: app.log,
    node: 'node-1',
    dataDir: app.config.dataDir,
    crash: (point) => app.crashAt(point),
  });
}

/** Listens before the gateway is built, because its metadata names the port the system gave. */
async function listen(app: App): Promise<{ stop(): Promise<void> }> {
  const server = createServer({
    requestTimeout: 30_000,
    headersTimeout: 10_000,
    maxHeaderSize: 16_384,
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(app.config.port, app.config.host, resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : app.config.port;
  app.config = { ...app.config, port, baseUrl: app.config.baseUrl.replace(/:0$/, `:${port}`) };
  server.on('request', createGateway(app));
  return {
    async stop() {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      server.closeIdleConnections();
      const cancel = app.clock.after(STOP_CONNECTIONS_MS, () => server.closeAllConnections());
      await closed;
      cancel();
    },
  };
}

if (import.meta.main) {
  const { run } = await import('./cli/index.ts');
  await run(process.argv, { startPlatform, createApp, readConfig: () => readConfig(process.env) });
}
