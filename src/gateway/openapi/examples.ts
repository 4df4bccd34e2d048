import type { JsonSchema } from '../../kernel/input/json-schema.ts';

/** Examples of fields by name. */
export type Examples = ReadonlyMap<string, readonly unknown[]>;

/** The examples in these schemas and those they refer to, by name of field; an earlier schema's come first. */
export function examplesIn(nodes: readonly unknown[], components: JsonSchema): Examples {
  const found = new Map<string, readonly unknown[]>();
  const seen = new Set<unknown>();
  const collect = (node: unknown): void => {
    if (typeof node !== 'object' || node === null || seen.has(node)) return;
    seen.add(node);
    for (const [key, value] of Object.entries(node)) {
      if (key === 'properties') note(value);
      collect(key === '$ref' ? components[String(value).replace(/^.*\//, '')] : value);
    }
  };
  const note = (properties: object): void => {
    for (const [name, field] of Object.entries(properties))
      if (isObject(field) && Array.isArray(field['examples']))
        found.set(name, [...(found.get(name) ?? []), ...field['examples']]);
  };
  nodes.forEach(collect);
  return found;
}

/**
 * The fields of a request with examples: a field without any gets that of the answer's field of the same name, if it
 * is of its type. So the words of a plant are declared once, at the answer.
 */
export function withExamples(schema: JsonSchema, examples: Examples): JsonSchema {
  const { properties } = schema;
  if (!isObject(properties)) return schema;
  const fields = Object.entries(properties).map(([name, field]) => [
    name,
    isObject(field) ? withExample(field, examples.get(name) ?? []) : field,
  ]);
  return { ...schema, properties: Object.fromEntries(fields) };
}

function withExample(field: JsonSchema, examples: readonly unknown[]): JsonSchema {
  if (['examples', 'enum', 'const', 'default'].some((key) => key in field)) return field;
  const types = [field['type']].flat();
  const example = examples.find((one) => types.includes(typeOf(one)) || isInteger(types, one));
  return example === undefined ? field : { ...field, examples: [example] };
}

const typeOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value);

const isInteger = (types: readonly unknown[], value: unknown): boolean =>
  types.includes('integer') && Number.isInteger(value);

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
