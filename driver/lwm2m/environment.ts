import { z } from 'zod';

import { Port } from '../../src/core/process-layout.ts';
import type { Place } from '../sdk/driver.ts';

/** The variables of the LwM2M server; it takes the port of DTLS, which it does not serve yet. */
export const Lwm2mEnvironment = z.object({
  LWM2M_HOST: z.string().min(1).default('0.0.0.0'),
  LWM2M_PORT: Port.default(5683),
  LWM2M_SECURE_PORT: Port.default(5684),
});
type Lwm2mEnvironment = z.output<typeof Lwm2mEnvironment>;

/** Where the server listens, as it is set. */
export const placeOf = ({ LWM2M_HOST: host, LWM2M_PORT: port }: Lwm2mEnvironment): Place => ({
  name: 'LwM2M',
  scheme: 'coap',
  host,
  port,
});
