import { z } from 'zod';

import type { Route } from '../../../src/kernel/app/route.ts';
import { casesOf } from '../cases/foreign-cases.ts';
import type { Owned } from '../cases/populate.ts';
import type { Random } from './random.ts';

type Schema = {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  format?: string;
};

/** The JSON schema of what an input accepts. */
const schemaOf = (input: z.ZodType): Schema =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the part of JSON schema zod writes
  z.toJSONSchema(input, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Schema;

let counter = 0;

/** A value the schema likely accepts. */
function sample(random: Random, schema: Schema, depth = 0): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum?.length) return random.pick(schema.enum);
  if (schema.anyOf?.length) return sample(random, random.pick(schema.anyOf), depth);
  switch (schema.type) {
    case 'string':
      counter += 1;
      if (schema.format === 'uuid') return crypto.randomUUID();
      return `s${counter}`.padEnd(Math.min(schema.minLength ?? 2, 64), 'x');
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 0, Math.min(schema.maximum ?? 30, random.upTo(30)));
    case 'boolean':
      return random.chance(0.5);
    case 'array':
      return depth > 2 ? [] : [sample(random, schema.items ?? {}, depth + 1)];
    case 'object':
      return depth > 2 ? {} : fields(random, schema, depth);
    case undefined:
    default:
      return random.pick<unknown>(['1', 'x', 1, {}]);
  }
}

function fields(random: Random, schema: Schema, depth: number): Record<string, unknown> {
  const chosen = Object.entries(schema.properties ?? {}).filter(
    ([name]) => schema.required?.includes(name) || random.chance(0.6),
  );
  return Object.fromEntries(
    chosen.map(([name, field]) => [name, sample(random, field, depth + 1)]),
  );
}

/** Makes bodies that a route accepts or nearly accepts: ids are the tenant's own. */
export const bodiesFor = (
  route: Route & { center: string },
  own: Owned,
): ((random: Random) => Record<string, unknown>) => bodyFor(schemaOf(route.input), route, own);

/** The same from a JSON schema, for whatever has an input. */
export function bodyFor(
  schema: Schema,
  row: Parameters<typeof casesOf>[0],
  own: Owned,
): (random: Random) => Record<string, unknown> {
  const known: Record<string, unknown> = {};
  try {
    for (const { kind, input } of casesOf(row, own)) Object.assign(known, input(own[kind]));
  } catch {
    // A field those cases have no sample for: the schema alone makes the body.
  }
  return (random) => {
    const made = sample(random, schema);
    const base = typeof made === 'object' && made !== null && !Array.isArray(made) ? made : {};
    // Names stay fresh, or nearly every add would be a conflict.
    const ids = Object.entries(known).filter(([name]) => !/[nN]ame$|[cC]ode$/.test(name));
    return { ...base, ...Object.fromEntries(ids) };
  };
}
