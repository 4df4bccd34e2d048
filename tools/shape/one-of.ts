import { z } from 'zod';

/** One of some names, listed in its description only: an enumeration costs a model more than it says. */
export const oneOf = <T extends string>(names: readonly T[]) =>
  z
    .string()
    .refine(
      (given): given is T => names.some((one) => one === given),
      `must be one of ${names.join(', ')}`,
    );
