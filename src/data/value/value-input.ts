import { z } from 'zod';

import { Text } from '../../kernel/input/text.ts';

/** No integer type of a point reaches it: what is larger can only be meant for a float, and loses nothing there. */
const ABOVE_INTEGERS = 2 ** 64;

/** A value to write, from a client; integers beyond 2^53 must be text, those that only a float holds need not. */
export const ValueInput = z
  .union([
    Text(4096),
    z
      .number()
      .refine(
        (n) => !Number.isInteger(n) || Number.isSafeInteger(n) || Math.abs(n) >= ABOVE_INTEGERS,
      ),
    z.boolean(),
  ])
  .transform(String)
  .meta({ examples: [72.5] });
