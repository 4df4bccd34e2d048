import { z } from 'zod';

import { isLoopbackName } from '../src/kernel/request/loopback.ts';
import { HttpEnvironment } from './http/environment.ts';
import { Lwm2mEnvironment, placesOf } from './lwm2m/environment.ts';
import { isCron } from './sdk/schedule.ts';

const CRON_FORM = 'must be six fields like 0/30 * * * * ? and come at least once in a year';

const SPOOL_FORM = 'must be a number of megabytes, 4 at least, or 0';

const PACKAGE = /^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*$/;

/** The variables of all drivers (docs/environment.md). */
const Environment = z.object({
  /** In place of the schedule that each driver has by itself. */
  SVC_DRIVER_READ_CRON: z.string().refine(isCron, CRON_FORM).optional(),
  /** Values on disk while the message bus is unavailable, of each driver; 0: none. */
  SVC_DRIVER_SPOOL_MB: z
    .string()
    .regex(/^\d{1,6}$/, SPOOL_FORM)
    .transform(Number)
    .refine((mb) => mb === 0 || mb >= 4, SPOOL_FORM)
    .default(256),
  /** `mqtt`, `http`, and packages that export `createDriver`: they run beside the drivers of the platform. */
  SVC_DRIVERS: z
    .string()
    .transform((text) => [...new Set(text.split(',').map((name) => name.trim()))])
    .refine((names) => names.every((name) => PACKAGE.test(name)), 'must be names of packages')
    .default([]),
  /** Where they are installed: the directory with their `node_modules`. */
  SVC_DRIVERS_DIR: z.string().default('.'),
  ...HttpEnvironment.shape,
  ...Lwm2mEnvironment.shape,
});

export type DriverSettings = z.output<typeof Environment>;

const IN_CLEAR =
  'LWM2M_HOST opens LwM2M in clear to other machines: whatever a device sends or obeys there can be read and invented; devices with a key use the DTLS port';

export const driverVariables = {
  schema: Environment,
  unsafe: (env: DriverSettings, services: ReadonlySet<string>): string[] =>
    services.has('driver-lwm2m') && !isLoopbackName(placesOf(env).clear.host) ? [IN_CLEAR] : [],
};
