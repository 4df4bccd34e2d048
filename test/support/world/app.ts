import { addTenant } from '../../../src/auth/seed.ts';
import type { App } from '../../../src/kernel/app/app.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { createLog } from '../../../src/kernel/process/log.ts';
import { registerDriversForTenant } from '../../../src/manager/presence/registry.ts';
import { openBus } from '../../../src/start/bus.ts';
import { type Overrides, startPlatform } from '../../../src/start/platform.ts';
import { readSettings } from '../../../src/start/settings.ts';
import { login, type Session } from '../people/session.ts';
import { freshDatabase } from './database.ts';
import { testEnvironment } from './environment.ts';
import { ShiftedClock } from './shifted-clock.ts';
import { watched, type WatchedBus } from './watched-bus.ts';

export type World<C extends Clock = ShiftedClock> = {
  base: string;
  app: App;
  bus: WatchedBus;
  clock: C;
  lwm2mPort: number;
  lwm2mSecurePort: number;
  /** The environment it was started with, for starting another process on the same data. */
  environment: Record<string, string>;
  admin: Session;
  /** A new tenant with an admin of its own, logged in. */
  tenant(code: string): Promise<Session>;
  /** Stops the platform, keeps the data. */
  halt(): Promise<void>;
  stop(): Promise<void>;
};

export type WorldOptions<C> = {
  clock?: C;
  environment?: Record<string, string>;
  /** A part that the test plays itself. */
  without?: 'driver-lwm2m';
  /** Data of an earlier world that was halted. */
  database?: { environment: Record<string, string>; remove(): Promise<void> };
} & Omit<Overrides, 'clock'>;

const PASSWORD = testEnvironment.SVC_ADMIN_PASSWORD;

/** The whole platform on a database of its own, listening on free ports of loopback. */
export function startWorld(options?: WorldOptions<ShiftedClock>): Promise<World>;
export function startWorld<C extends Clock>(
  options: WorldOptions<C> & { clock: C },
): Promise<World<C>>;
export async function startWorld({
  clock = new ShiftedClock(),
  environment = {},
  database,
  without,
  ...overrides
}: WorldOptions<Clock> = {}): Promise<World<Clock>> {
  const data = database ?? (await freshDatabase());
  const whole = { ...testEnvironment, ...data.environment, ...environment };
  const read = readSettings(whole);
  const services = new Set([...read.services].filter((service) => service !== without));
  const config = { ...read, services };
  const log = overrides.log ?? createLog(config.logLevel);
  const bus = watched(overrides.bus ?? (await openBus({ ...config.bus, clock, log })));
  const platform = await startPlatform(config, { ...overrides, clock, bus });
  const { app } = platform;
  const base = app.config.baseUrl;
  return {
    base,
    app,
    bus,
    clock,
    lwm2mPort: platform.listening[0]?.port ?? 0,
    lwm2mSecurePort: platform.listening.find(({ scheme }) => scheme === 'coaps')?.port ?? 0,
    environment: whole,
    admin: await login(base, 'default', 'admin', PASSWORD),
    async tenant(code) {
      const { tenantId } = await addTenant(app, {
        code,
        name: code,
        admin: { login: `${code}-admin`, password: PASSWORD },
      });
      await registerDriversForTenant(app, tenantId);
      return login(base, code, `${code}-admin`, PASSWORD);
    },
    halt: () => platform.stop(),
    async stop() {
      await platform.stop();
      await data.remove();
    },
  };
}
