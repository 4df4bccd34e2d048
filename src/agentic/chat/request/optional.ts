import { z } from 'zod';

/** A field that may be left out; null is the same, and so is the empty text of a form's field that was cleared. */
export const optional = <T extends z.ZodType>(schema: T) =>
  z
    .preprocess((given) => (given === '' ? undefined : given), schema.nullish())
    .transform((value) => value ?? undefined);
