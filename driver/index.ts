import type { Clock } from '../src/kernel/clock.ts';
import type { EgressAllow } from '../src/kernel/egress/sink.ts';
import type { DriverService } from '../src/kernel/process/layout.ts';
import type { Log } from '../src/kernel/process/log.ts';
import type { DriverSettings } from './environment.ts';
import { httpPlace } from './http/environment.ts';
import { createLwm2mDriver } from './lwm2m/driver.ts';
import { placesOf } from './lwm2m/environment.ts';
import type { PackageContext } from './package/context.ts';
import type { Driver, Place } from './sdk/driver.ts';
import { createVirtualDriver } from './virtual/driver.ts';

/** What a driver may need from its process. */
export type DriverContext = {
  clock: Clock;
  log: Log;
  dataDir: string;
  settings: DriverSettings;
};

type Member = {
  create(context: DriverContext): Driver;
  /** Where it will listen: a start refuses a taken port before it makes anything. */
  places?(settings: DriverSettings): Place[];
};

/** By the service that runs the driver (docs/operations.md, Many processes). */
export const drivers: Record<DriverService, Member> = {
  'driver-lwm2m': {
    create: ({ settings, ...context }) =>
      createLwm2mDriver({ places: placesOf(settings), ...context }),
    places: (settings) => Object.values(placesOf(settings)),
  },
  'driver-virtual': { create: ({ clock }) => createVirtualDriver({ clock }) },
};

/**
 * What one of those that SVC_DRIVERS names gets: a package's, which addresses that are not public it may reach, and the
 * variables of drivers.
 */
type NamedContext = PackageContext & { egressAllow: EgressAllow; settings: DriverSettings };

type NamedMember = {
  create(context: NamedContext): Promise<Driver>;
  places?(settings: DriverSettings): Place[];
};

/** By the name in SVC_DRIVERS: imported only where it is named, so that others neither load nor wait for it. */
export const named: ReadonlyMap<string, NamedMember> = new Map<string, NamedMember>([
  [
    'mqtt',
    {
      create: async ({ clock, log, dataDir, egressAllow: { mqtt: egressAllow } }) =>
        (await import('./mqtt/driver.ts')).createMqttDriver({ clock, log, dataDir, egressAllow }),
    },
  ],
  [
    'http',
    {
      async create({ clock, log, dataDir, egressAllow: { http: egressAllow }, settings }) {
        const { createHttpDriver } = await import('./http/driver.ts');
        const place = httpPlace(settings);
        return createHttpDriver({ clock, log, dataDir, egressAllow, place });
      },
      places: (settings) => [httpPlace(settings)],
    },
  ],
]);
