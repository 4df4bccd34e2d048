import { z } from 'zod';

import { optionOf } from './spelled.ts';

/** One of some names in any case, listed in its description only: an enumeration costs a model more than it says. */
export const oneOf = <T extends string>(names: readonly T[]) =>
  z
    .string()
    .transform((given) => names.find((one) => one === given) ?? optionOf(names, given) ?? given)
    .refine(
      (given): given is T => names.some((one) => one === given),
      `must be one of ${names.join(', ')}`,
    );
