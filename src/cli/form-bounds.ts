import { z } from 'zod';

import type { JsonSchema } from '../kernel/input/json-schema.ts';

/** What the schema of an operation says of one of its fields, as far as a form keeps to it. */
type Bound = {
  required?: true;
  values?: readonly string[];
  type?: 'integer' | 'number';
  min?: number;
  max?: number;
  longest?: number;
};
type Bounds = Readonly<Record<string, Bound>>;

const Schema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.union([z.string(), z.number(), z.boolean()])).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  maxLength: z.number().optional(),
  format: z.string().optional(),
  required: z.array(z.string()).default([]),
  properties: z.record(z.string(), z.unknown()).default({}),
  items: z.unknown().optional(),
});
type Schema = z.output<typeof Schema>;
const Content = z.record(z.string(), z.object({ schema: z.unknown() }));
const Operation = z.object({
  parameters: z.array(z.object({ name: z.string(), schema: z.unknown() })).default([]),
  requestBody: z.object({ content: Content }).optional(),
});
const Document = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), Operation)) });

/** Where pages name the operation of a form, and where they read a bound themselves. */
const NAMES = [/\buseForm\(([^{]*)/g, /\bbounds\[([^\]]*)\]/g];
const OPERATION = /'([A-Z]+) (\/[^']*)'/g;

/**
 * The bounds of what forms ask for, by operation and field (`ext.content.limit` of one that is inside another): of the
 * operations that a page gives to `useForm` or reads from `bounds`, the fields that the page names.
 */
export function boundsIn(document: JsonSchema, pages: readonly string[]): Record<string, Bounds> {
  const { paths } = Document.parse(document);
  const found = new Map<string, Map<string, Bound>>();
  for (const page of pages)
    for (const [, method = '', path = ''] of operationsIn(page)) {
      const operation = paths[`/api/v3${path}`]?.[method.toLowerCase()];
      const query = operation?.parameters.map((each) => [each.name, each.schema] as const) ?? [];
      const schema = operation?.requestBody?.content['application/json']?.schema ?? {
        properties: Object.fromEntries(query),
      };
      const name = `${method} ${path}`;
      const fields = found.get(name) ?? new Map<string, Bound>();
      for (const [field, bound] of fieldsOf(schema))
        if (isNamed(field, page)) fields.set(field, bound);
      found.set(name, fields);
    }
  return byName([...found].map(([name, fields]) => [name, byName([...fields])]));
}

const byName = <T>(entries: readonly (readonly [name: string, T])[]): Record<string, T> =>
  Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));

/** Whether a page asks for a field, or reads its bounds; the last part of a path may be a value. */
const isNamed = (field: string, page: string): boolean =>
  page.includes(`'${field}'`) ||
  (field.includes('.') && page.includes(`\`${field.replace(/\w+$/, '')}\${`)) ||
  page.match(`\\b${field}\\.(values|longest)\\b|'\\]\\.${field}\\b`) !== null;

const operationsIn = (page: string) =>
  NAMES.flatMap((names) => [...page.matchAll(names)]).flatMap(([, text = '']) => [
    ...text.matchAll(OPERATION),
  ]);

/** Every field that has a bound, and those inside of it by their path. */
function fieldsOf(given: unknown, before = ''): [field: string, Bound][] {
  const { properties, required } = Schema.catch(Schema.parse({})).parse(given);
  return Object.entries(properties).flatMap(([name, each]) => {
    const field = `${before}${name}`;
    const schema = Schema.parse(each);
    const bound: Bound = {
      ...(before === '' && required.includes(name) && { required: true as const }),
      ...boundOf(schema.type === 'array' ? Schema.parse(schema.items) : schema),
    };
    const inside = fieldsOf(schema.type === 'array' ? schema.items : schema, `${field}.`);
    const isAsked = Object.keys(bound).length > 0 && !/\b(\w+I|i)d$/.test(name);
    return isAsked ? [[field, bound], ...inside] : inside;
  });
}

function boundOf(schema: Schema): Bound {
  const { type, enum: known, minimum, maximum, maxLength, format } = schema;
  const number = (['integer', 'number'] as const).find(
    (each) => type === each || type?.includes(each),
  );
  // Of yes and no, a form has a box to tick.
  const isChoice = known?.some((each) => typeof each === 'string') ?? false;
  return {
    ...(isChoice && { values: namesIn(known ?? []) }),
    ...(!isChoice && number !== undefined && { type: number }),
    ...(minimum !== undefined && { min: minimum }),
    ...(maximum !== undefined && { max: maximum }),
    // A secret is refused, not cut.
    ...(maxLength !== undefined && format !== 'password' && { longest: maxLength }),
  };
}

/** Each value once: flags have a number too, and some an older name after the first ones. */
function namesIn(known: readonly unknown[]): string[] {
  const numbers = new Set(known.filter((each) => typeof each === 'number')).size;
  const names = known.filter((each) => typeof each === 'string');
  return numbers > 0 ? names.slice(0, numbers) : names;
}
