import { z } from 'zod';

import { Lwm2mEnvironment } from './lwm2m/environment.ts';
import { isCron } from './sdk/schedule.ts';

const CRON_FORM = 'must be six fields like 0/30 * * * * ? and come at least once in a year';

/** The variables of all drivers (docs/environment.md). */
const Environment = z.object({
  /** In place of the schedule that each driver has by itself. */
  SVC_DRIVER_READ_CRON: z.string().refine(isCron, CRON_FORM).optional(),
  ...Lwm2mEnvironment.shape,
});

export type DriverSettings = z.output<typeof Environment>;

export const driverVariables = { schema: Environment };
