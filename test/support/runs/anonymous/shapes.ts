import { z } from 'zod';

import { JSON_BYTES } from '../../../../src/kernel/request/body.ts';
import { MAX_DEPTH, MAX_ELEMENTS } from '../../../../src/kernel/request/json-shape.ts';

/** The part of JSON schema that zod writes and this reads. */
type Schema = {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  minimum?: number;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
};

/** What a sample and the name of its field take of a body. */
const ROOM = 4 * 1024;
const DEEPEST = 3;

/** As many of them as a body of `bytes` holds, and its elements. */
function asManyAs(bytes: number, make: (count: number) => unknown, most: number): unknown {
  let count = most;
  for (;;) {
    const made = make(count);
    const length = JSON.stringify(made).length;
    if (length <= bytes || count === 0) return made;
    count = Math.floor(count * Math.min(0.9, bytes / length));
  }
}

const nested = (depth: number): unknown => (depth === 0 ? [] : [nested(depth - 1)]);

/** The largest values that a body of so many bytes may have at one place, by name. */
export function largest(bytes: number): Record<string, unknown> {
  const list = (of: (index: number) => unknown, most = MAX_ELEMENTS - 100) =>
    asManyAs(bytes, (length) => Array.from({ length }, (_, index) => of(index)), most);
  const object = (of: unknown, most: number) =>
    asManyAs(
      bytes,
      (length) =>
        Object.fromEntries(Array.from({ length }, (_, index) => [`k${String(index)}`, of])),
      most,
    );
  return {
    objects: list(() => ({}), MAX_ELEMENTS / 2 - 100),
    numbers: list(() => -1.2345e-300),
    texts: list((index) => String(index)),
    keys: object(0, MAX_ELEMENTS - 100),
    'keys of objects': object({}, MAX_ELEMENTS / 2 - 100),
    deep: list(() => nested(MAX_DEPTH - 6), MAX_ELEMENTS / MAX_DEPTH),
    long: 'x'.repeat(bytes),
    digits: '1'.repeat(bytes),
    dashes: 'a-'.repeat(bytes / 2),
    addresses: 'a@'.repeat(bytes / 2),
    blanks: ' '.repeat(bytes),
    escapes: '\u0001'.repeat(bytes / 6),
  };
}

const LISTS = ['objects', 'numbers', 'texts', 'deep'];
const OBJECTS = ['keys', 'keys of objects'];
const TEXTS = ['long', 'digits', 'dashes', 'addresses', 'blanks', 'escapes'];
const OTHERS = ['digits', 'deep'];
const shapes = largest(JSON_BYTES - ROOM);
const named = (names: readonly string[]) => names.map((name) => [name, shapes[name]] as const);

/** A value that the schema likely accepts. */
function sample(schema: Schema, depth = 0): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum?.length) return schema.enum[0];
  if (schema.anyOf?.[0]) return sample(schema.anyOf[0], depth);
  const { type, items = {}, properties = {}, required = [] } = schema;
  if (type === 'string' && schema.format === 'uuid') return crypto.randomUUID();
  if (type === 'string') return (schema.pattern?.includes('\\d') ? '1' : 'x').padEnd(2, '1');
  if (type === 'number' || type === 'integer') return schema.minimum ?? 1;
  if (type === 'boolean') return true;
  if (type === 'array')
    return depth > DEEPEST
      ? []
      : Array.from({ length: schema.minItems ?? 1 }, () => sample(items, depth + 1));
  if (type !== 'object') return '1';
  const fields = required.map((name) => [name, sample(properties[name] ?? {}, depth + 1)]);
  return depth > DEEPEST ? {} : Object.fromEntries(fields);
}

/** The most of what the schema itself allows. */
function allowed(schema: Schema): unknown[] {
  if (schema.anyOf) return schema.anyOf.flatMap(allowed);
  const { type, items = {}, additionalProperties: values } = schema;
  if (type === 'string') return schema.maxLength ? ['x'.repeat(schema.maxLength)] : [];
  const bytes = JSON_BYTES - ROOM;
  const one = (index: number): unknown => {
    const made = sample(items);
    return typeof made === 'string' ? `${made}${String(index)}` : made;
  };
  const list = (length: number) => Array.from({ length }, (_, index) => one(index));
  if (type === 'array') return [asManyAs(bytes, list, schema.maxItems ?? MAX_ELEMENTS / 2)];
  if (type !== 'object' || typeof values !== 'object') return [];
  const object = (length: number) =>
    Object.fromEntries(Array.from({ length }, (_, index) => [`k${String(index)}`, sample(values)]));
  return [asManyAs(bytes, object, MAX_ELEMENTS / 2)];
}

const shapesOf = ({ type = '' }: Schema) =>
  named({ array: LISTS, object: OBJECTS, string: TEXTS }[type] ?? OTHERS);

const schemaOf = (input: z.ZodType): Schema =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the part of JSON schema zod writes
  z.toJSONSchema(input, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Schema;

/** The largest bodies of a route: as a whole, and at each of its fields. */
export function largestBodies(input: z.ZodType): [name: string, body: unknown][] {
  const schema = schemaOf(input);
  const base = sample(schema);
  const rest = typeof base === 'object' && base !== null && !Array.isArray(base) ? base : {};
  const fields = Object.entries(schema.properties ?? {}).flatMap(([field, of]) => [
    ...shapesOf(of).map(([name, value]) => [field, name, value] as const),
    ...allowed(of).map((value) => [field, 'the most', value] as const),
  ]);
  return [
    ...named(['objects', 'keys', 'deep']).map(([name, value]): [string, unknown] => [name, value]),
    ...fields.map(([field, name, value]): [string, unknown] => [
      `${field}: ${name}`,
      { ...rest, [field]: value },
    ]),
  ];
}
