import { type Center, CENTERS } from '../../../src/kernel/process/layout.ts';
import {
  createApp,
  type Overrides,
  type Platform,
  startDriverPlatform,
  startPlatform,
} from '../../../src/start/platform.ts';
import { readSettings } from '../../../src/start/settings.ts';
import { freePort } from '../neighbours/free-port.ts';
import { login, type Session } from '../people/session.ts';
import { freshDatabase } from './database.ts';
import { testEnvironment } from './environment.ts';
import { eventually } from './eventually.ts';
import { ShiftedClock } from './shifted-clock.ts';

export type Split = {
  /** The gateway. */
  base: string;
  gateway: Platform;
  admin: Session;
  clock: ShiftedClock;
  /** Where each center answers by itself. */
  at: Record<Center, string>;
  centers: Record<Center, Platform>;
  /** Starts another process of these services on the same database and bus; stopped with the rest. */
  start(environment: Record<string, string>): Promise<Platform>;
  stop(): Promise<void>;
};

const part = (center: Center, what: 'PORT' | 'URL'): string =>
  `SVC_${center.toUpperCase()}_${what}`;

/**
 * Gateway, centers and the virtual driver as six Apps with doors, caches and settings of their own.
 * They share this process, and so the database connections and the in-process bus.
 */
export async function startSplit(own: Pick<Overrides, 'log'> = {}): Promise<Split> {
  const data = await freshDatabase();
  const clock = new ShiftedClock();
  const shared = await createApp(readSettings({ ...testEnvironment, ...data.environment }), {
    ...own,
    clock,
  });
  const parts: { stop(): Promise<void> }[] = [];
  const kept = async (): Promise<void> => {};
  const overrides: Overrides = {
    ...own,
    clock,
    db: { ...shared.db, close: kept },
    bus: { ...shared.bus, close: kept },
  };
  const base = `http://127.0.0.1:${await freePort()}`;
  const environment = {
    ...testEnvironment,
    DATABASE_URL: 'postgres://127.0.0.1/shared',
    AMQP_URL: 'amqp://127.0.0.1/shared',
    SVC_BASE_URL: base,
    SVC_PORT: new URL(base).port,
    SVC_DEMO: 'on', // the scripted model; apart, nothing else comes with it
    ...data.environment,
  };
  const start = async (given: Record<string, string>): Promise<Platform> => {
    const platform = await startPlatform(readSettings({ ...environment, ...given }), overrides);
    parts.push(platform);
    return platform;
  };
  const startCenter = async (center: Center, port = '0'): Promise<Platform> =>
    start({ SVC_ROLES: center, [part(center, 'PORT')]: port });
  const centers: Record<Center, Platform> = {
    auth: await startCenter('auth'),
    manager: await startCenter('manager'),
    data: await startCenter('data'),
    agentic: await startCenter('agentic'),
  };
  const driver = await startDriverPlatform(
    readSettings({ ...environment, SVC_ROLES: 'driver-virtual' }),
    overrides,
  );
  parts.push(driver);
  const placeOf = (center: Center): string => `http://127.0.0.1:${centers[center].ports[center]}`;
  const urls = Object.fromEntries(CENTERS.map((center) => [part(center, 'URL'), placeOf(center)]));
  const gateway = await start({ SVC_ROLES: 'gateway', ...urls });
  const admin = await login(base, 'default', 'admin', testEnvironment.SVC_ADMIN_PASSWORD);
  await eventually(
    () => admin.post('/api/v3/manager/driver/list', { driverCode: 'VirtualDriver' }),
    ({ body }) => JSON.stringify(body).includes('VirtualDriver'),
  );
  return {
    base,
    gateway,
    admin,
    clock,
    at: {
      auth: placeOf('auth'),
      manager: placeOf('manager'),
      data: placeOf('data'),
      agentic: placeOf('agentic'),
    },
    centers,
    start: (given) => start({ ...urls, ...given }),
    async stop() {
      for (const { stop } of parts.toReversed()) await stop();
      await shared.bus.close();
      await shared.db.close();
      await data.remove();
    },
  };
}
