import type { z } from 'zod';

/** A field that may be left out; null is the same. */
export const optional = <T extends z.ZodType>(schema: T) =>
  schema.nullish().transform((value) => value ?? undefined);
