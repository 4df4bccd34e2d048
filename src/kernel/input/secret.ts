import type { z } from 'zod';

import { requestSchema } from './json-schema.ts';

/** Marks a field of an input that is a secret, or may be one: it is taken from the body alone. */
export const secret = <S extends z.ZodType>(field: S): S =>
  field.meta({ format: 'password', writeOnly: true });

/** Names of the marked fields of an input. */
export function secretFields(input: z.ZodType): string[] {
  const { properties } = requestSchema(input);
  return Object.entries(properties ?? {}).flatMap(([name, field]) =>
    field.writeOnly === true ? [name] : [],
  );
}
