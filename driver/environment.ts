import { z } from 'zod';

import { Lwm2mEnvironment } from './lwm2m/environment.ts';

/** The variables of all drivers (docs/operations.md, Environment). */
const Environment = z.object({ ...Lwm2mEnvironment.shape });

export type DriverSettings = z.output<typeof Environment>;

export const driverVariables = {
  schema: Environment,
  /** Logged at the start where a variable is set that has no effect yet. */
  unused: { LWM2M_SECURE_PORT: 'DTLS is not served yet: nothing listens there' },
};
