import { createHmac } from 'node:crypto';

import type { Psk } from '../secure-socket.ts';

const KEY_BYTES = 16;

/** Endpoint name of a device by its number: `sim-0001`. */
export const endpointOf = (prefix: string, number: number): string =>
  `${prefix}-${String(number).padStart(4, '0')}`;

/** The key of a device, for simulations only: the seed and the name decide it. */
export const pskOf = (seed: string, endpoint: string): Psk => ({
  identity: endpoint,
  key: createHmac('sha256', seed)
    .update(endpoint)
    .digest('hex')
    .slice(0, KEY_BYTES * 2),
});
