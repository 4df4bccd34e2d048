import type { Clock } from '../src/kernel/clock.ts';
import type { DriverService } from '../src/kernel/process/layout.ts';
import type { Log } from '../src/kernel/process/log.ts';
import type { DriverSettings } from './environment.ts';
import { createLwm2mDriver } from './lwm2m/driver.ts';
import { placesOf } from './lwm2m/environment.ts';
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
