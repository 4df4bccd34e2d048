import { z } from 'zod';

import { Port } from '../../src/core/process-layout.ts';
import type { Place } from '../sdk/driver.ts';

/** The variables of the LwM2M server. */
export const Lwm2mEnvironment = z.object({
  LWM2M_HOST: z.string().min(1).default('0.0.0.0'),
  LWM2M_PORT: Port.default(5683),
  /** The port after LWM2M_PORT, unless it is set. */
  LWM2M_SECURE_PORT: Port.optional(),
});
const LAST_PORT = 65_535;

type Lwm2mEnvironment = z.output<typeof Lwm2mEnvironment>;

/** Where the server listens: in clear and over DTLS. */
export type Lwm2mPlaces = { clear: Place; secure: Place };

/** Where the server listens, as it is set. */
export function placesOf({
  LWM2M_HOST: host,
  LWM2M_PORT: port,
  LWM2M_SECURE_PORT: given,
}: Lwm2mEnvironment): Lwm2mPlaces {
  const after = port === LAST_PORT ? port - 1 : port + 1;
  const securePort = given ?? (port === 0 ? 0 : after);
  return {
    clear: { name: 'LwM2M', scheme: 'coap', host, port },
    secure: { name: 'LwM2M', scheme: 'coaps', host, port: securePort },
  };
}
