import { z } from 'zod';

import { coversAll } from './coverage.ts';
import { isAddressOrNetwork } from './source-address.ts';

/** Proxies (addresses and networks) that are trusted to name the client in X-Forwarded-For. */
export const TrustedProxies = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(
    z
      .array(
        z.string().refine(isAddressOrNetwork, 'must be an address, or a network like 10.0.0.0/8'),
      )
      .max(64)
      .refine(
        (given) => !given.every(isAddressOrNetwork) || !coversAll(given),
        'must not hold every address: any client could then choose its own by X-Forwarded-For',
      ),
  );
