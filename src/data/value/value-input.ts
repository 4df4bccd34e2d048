import { z } from 'zod';

import { Text } from '../../kernel/input/text.ts';

/** A value to write, from a client; integers beyond 2^53 must be text. */
export const ValueInput = z
  .union([
    Text(4096),
    z.number().refine((n) => !Number.isInteger(n) || Number.isSafeInteger(n)),
    z.boolean(),
  ])
  .transform(String)
  .meta({ examples: [72.5] });
