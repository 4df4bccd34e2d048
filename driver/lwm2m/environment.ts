import { z } from 'zod';

import { Port } from '../../src/kernel/process/layout.ts';
import type { Lwm2mPlaces } from './security/ports.ts';

/** The variables of the LwM2M server. */
export const Lwm2mEnvironment = z.object({
  /** Of the clear port this machine only, of the secure port every address, unless it is set. */
  LWM2M_HOST: z.string().min(1).optional(),
  LWM2M_PORT: Port.default(5683),
  /** The port after LWM2M_PORT, unless it is set. */
  LWM2M_SECURE_PORT: Port.optional(),
  /** LWM2M_HOST where that is set, unless it is set itself. */
  LWM2M_SECURE_HOST: z.string().min(1).optional(),
});
const THIS_MACHINE = '127.0.0.1';
const EVERYWHERE = '0.0.0.0';
const LAST_PORT = 65_535;

type Lwm2mEnvironment = z.output<typeof Lwm2mEnvironment>;

/**
 * Where the server listens, as it is set. Whatever comes in clear can be read, changed and invented on the way, so
 * that port is open to other machines only where an operator asked for it.
 */
export function placesOf({
  LWM2M_HOST: host,
  LWM2M_SECURE_HOST: secureHost,
  LWM2M_PORT: port,
  LWM2M_SECURE_PORT: given,
}: Lwm2mEnvironment): Lwm2mPlaces {
  const after = port === LAST_PORT ? port - 1 : port + 1;
  const securePort = given ?? (port === 0 ? 0 : after);
  const closed = {
    host: THIS_MACHINE,
    note: 'in clear: this machine only, LWM2M_HOST=0.0.0.0 opens it',
  };
  return {
    clear: { name: 'LwM2M', scheme: 'coap', port, ...(host ? { host } : closed) },
    secure: {
      name: 'LwM2M',
      scheme: 'coaps',
      host: secureHost ?? host ?? EVERYWHERE,
      port: securePort,
    },
  };
}
