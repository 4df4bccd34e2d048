import type { Clock } from '../src/core/clock.ts';
import type { Log } from '../src/core/log/log.ts';
import type { DriverRole } from '../src/core/process-roles.ts';
import { createLwm2mDriver } from './lwm2m/driver.ts';
import type { Driver } from './sdk/driver.ts';
import { createVirtualDriver } from './virtual/driver.ts';

/** Settings and services that a driver may need from its process. */
export type DriverSettings = {
  clock: Clock;
  log: Log;
  dataDir: string;
  lwm2m: { host: string; port: number };
};

/** By the name of the process role that runs the driver (docs/operations.md, Environment). */
export const drivers = {
  'driver-lwm2m': ({ clock, log, dataDir, lwm2m }) =>
    createLwm2mDriver({ ...lwm2m, clock, log, dataDir }),
  'driver-virtual': ({ clock }) => createVirtualDriver({ clock }),
} satisfies Record<DriverRole, (settings: DriverSettings) => Driver>;
