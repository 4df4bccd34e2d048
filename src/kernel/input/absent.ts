import { z } from 'zod';

type Members = Record<string, unknown>;

const takesNull = new WeakMap<z.ZodType, boolean>();

/**
 * Drops members of a body that are null where their schema takes no null: existing clients send null for a
 * field they leave out. Null stays where the schema takes it (it clears a limit).
 */
export function withoutNulls(shape: z.ZodRawShape, given: Members): Members {
  // Entries, not assignments: a body may have a member named `__proto__`.
  return Object.fromEntries(
    Object.entries(given).flatMap(([key, value]): [string, unknown][] => {
      const schema = Object.hasOwn(shape, key) ? shape[key] : undefined;
      if (!(schema instanceof z.ZodType)) return [[key, value]];
      return value === null && !accepts(schema) ? [] : [[key, inside(schema, value)]];
    }),
  );
}

function accepts(schema: z.ZodType): boolean {
  const known = takesNull.get(schema) ?? schema.safeParse(null).success;
  takesNull.set(schema, known);
  return known;
}

/** The same for nested objects and lists; free-form records and unions stay unchanged. */
function inside(schema: z.ZodType, value: unknown): unknown {
  const bare = unwrapped(schema);
  if (Array.isArray(value)) {
    const element = bare instanceof z.ZodArray ? bare.element : null;
    return element instanceof z.ZodType ? value.map((item) => inside(element, item)) : value;
  }
  return bare instanceof z.ZodObject && isMembers(value) ? withoutNulls(bare.shape, value) : value;
}

/** A schema without what makes it optional, gives it a default or changes what it takes. */
export function unwrapped(schema: z.ZodType): unknown {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    const inner = schema.unwrap();
    return inner instanceof z.ZodType ? unwrapped(inner) : inner;
  }
  if (schema instanceof z.ZodPipe) {
    const { in: first, out: then } = schema;
    const taken = first instanceof z.ZodTransform ? then : first;
    return taken instanceof z.ZodType ? unwrapped(taken) : null;
  }
  return schema;
}

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
