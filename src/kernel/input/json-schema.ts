import { z } from 'zod';

export type JsonSchema = { [key: string]: unknown };

const inputs = new WeakMap<z.ZodType, JsonSchema>();
const outputs = new WeakMap<z.ZodType, JsonSchema>();
const wholeOutputs = new WeakMap<z.ZodType, JsonSchema>();

/** What the refusal of a wrong argument says, which is rare; the list of tools is read with every question. */
const SAID_BY_REFUSALS = [
  'pattern',
  'format',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'minItems',
  'maxItems',
];

/**
 * JSON Schema of a tool's arguments, as slim as a model needs it: no examples, no forms of texts; converted once per
 * tool. Programs that make every field required, as strict modes do, leave an optional text out with an empty one: so
 * optional enumerations, and booleans of which false says something, are texts whose description names the values.
 */
export const inputSchema = (tool: { input: z.ZodType }): JsonSchema =>
  once(inputs, tool.input, () => {
    const schema = convert(tool.input);
    const fields = Object.entries(isObject(schema['properties']) ? schema['properties'] : {});
    const required: unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
    const properties = fields.map(([name, field]): [string, unknown] => [
      name,
      isObject(field)
        ? Object.fromEntries(
            Object.entries(required.includes(name) ? field : leavable(field)).filter(
              ([key]) => !SAID_BY_REFUSALS.includes(key),
            ),
          )
        : field,
    ]);
    return { ...schema, properties: Object.fromEntries(properties) };
  });

function leavable(field: JsonSchema): JsonSchema {
  const { type, enum: options, description, ...rest } = field;
  const values: unknown[] | null =
    type === 'boolean' ? [true, false] : Array.isArray(options) ? options : null;
  if (values === null || 'default' in field) return field;
  const said = typeof description === 'string' ? `${description}: ` : '';
  return { ...rest, type: 'string', description: said + values.join(', ') };
}

/**
 * JSON Schema of a tool's result in the list of tools: the names and types of the fields that every result has,
 * and nothing of what is in them, because a model reads the list with every question. The tool checks its whole result by itself.
 */
export const outputSchema = (tool: { output: z.ZodType }): JsonSchema =>
  once(outputs, tool.output, () => {
    const { properties, required } = convert(tool.output);
    const always = Array.isArray(required) ? required : [];
    const fields = Object.entries(isObject(properties) ? properties : {}).filter(([name]) =>
      always.includes(name),
    );
    return {
      type: 'object',
      properties: Object.fromEntries(
        fields.flatMap(([name, field]) => {
          const type = typeOf(field);
          return type ? [[name, type]] : [];
        }),
      ),
    };
  });

/**
 * JSON Schema of a tool's result with all that it can have, for clients that make code of it. Rows of columns are left open
 * behind them: older dialects do not know `prefixItems`, and would allow no column at all.
 */
export const wholeOutputSchema = (tool: { output: z.ZodType }): JsonSchema =>
  once(wholeOutputs, tool.output, () => withOpenRows(convert(tool.output)));

function withOpenRows(schema: JsonSchema): JsonSchema {
  const { items, ...rest } = schema;
  const kept = 'prefixItems' in schema && items === false ? rest : schema;
  return Object.fromEntries(
    Object.entries(kept).map(([key, value]) => [
      key,
      Array.isArray(value) ? value.map(openRow) : openRow(value),
    ]),
  );
}

const openRow = (value: unknown): unknown => (isObject(value) ? withOpenRows(value) : value);

/**
 * A schema without all but its type, one for each branch: not every client can map a list of types, or a schema that
 * accepts anything. Null for one of several shapes.
 */
function typeOf(schema: unknown): JsonSchema | null {
  const { type, anyOf } = isObject(schema) ? schema : {};
  if (typeof type === 'string') return { type };
  const types: unknown[] = Array.isArray(type)
    ? type.map((one: unknown) => ({ type: one }))
    : Array.isArray(anyOf)
      ? anyOf.map(typeOf)
      : [];
  return types.length > 0 && !types.includes(null) ? { anyOf: types } : null;
}

/** Parts of inputs that the OpenAPI document says once, by name. */
export const inputParts = z.registry<{ name: string }>();

/**
 * JSON Schema of the input of a route, examples included. `parts` collects what has a name in `inputParts`: the schema
 * refers to it as a component of the OpenAPI document.
 */
export function requestSchema(
  input: z.ZodType,
  parts: Record<string, JsonSchema> = {},
): JsonSchema {
  const found: Record<string, JsonSchema> = {};
  const schema = convert(input, { hasExamples: true, parts: found });
  for (const [name, part] of Object.entries(found)) parts[name] = slimObject(part);
  return schema;
}

/**
 * JSON Schemas of answers by name; schemas with an id are in `$defs`. `isStrict` forbids unknown fields, which
 * otherwise stay allowed, so that a field can be added later. Throws when two schemas have one id.
 */
export function answerSchemas(
  answers: Record<string, z.ZodType>,
  { isStrict = false } = {},
): { $defs: Record<string, JsonSchema>; properties: Record<string, JsonSchema> } {
  const { $defs, properties } = z.toJSONSchema(z.object(answers), {
    io: 'output',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (!isStrict && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties;
    },
  });
  return { $defs: slimEach($defs), properties: slimEach(properties) };
}

const slimEach = (schemas: object = {}): Record<string, JsonSchema> =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      isObject(schema) ? slimObject(schema) : {},
    ]),
  );

function once(memo: WeakMap<z.ZodType, JsonSchema>, key: z.ZodType, make: () => JsonSchema) {
  const known = memo.get(key) ?? make();
  memo.set(key, known);
  return known;
}

type Conversion = { hasExamples?: boolean; parts?: Record<string, JsonSchema> };
const convert = (
  schema: z.ZodType,
  { hasExamples = false, parts }: Conversion = {},
): JsonSchema => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // zod drops the examples of an input that is transformed, although they are of the input.
      const { examples } = z.globalRegistry.get(zodSchema) ?? {};
      if (!hasExamples) delete jsonSchema.examples;
      else if (Array.isArray(examples)) jsonSchema.examples = examples;
      if (zodSchema instanceof z.ZodDate) {
        jsonSchema.type = 'string';
        jsonSchema.format = 'date-time';
      }
      const part = parts && inputParts.get(zodSchema);
      if (part) parts[part.name] = moved(jsonSchema, part.name);
    },
  });
  return slimObject(rest);
};

/** The schema without its place, where a reference to the component of this name comes. */
function moved(schema: JsonSchema, name: string): JsonSchema {
  const whole = { ...schema };
  for (const key of Object.keys(schema)) delete schema[key];
  schema['$ref'] = `#/components/schemas/${name}`;
  return whole;
}

/** Keys below these are names chosen by the schema, not keywords. */
const NAMED = new Set(['properties', 'patternProperties', '$defs']);
/** Keywords with data as their value, not with a schema. */
const VALUES = new Set(['default', 'enum', 'const', 'examples']);

function slim(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(slim);
  return isObject(node) ? slimObject(node) : node;
}

function slimObject(node: JsonSchema): JsonSchema {
  const result: JsonSchema = {};
  for (const [key, value] of Object.entries(node)) {
    if (isNoise(key, value, node)) continue;
    result[key] =
      NAMED.has(key) && isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([name, child]) => [name, slim(child)]))
        : VALUES.has(key)
          ? value
          : slim(value);
  }
  return collapse(result);
}

/** Additions of zod that no model needs: the bounds of a safe integer, a pattern beside its format. */
const isNoise = (key: string, value: unknown, node: JsonSchema): boolean =>
  (key === 'minimum' && value === Number.MIN_SAFE_INTEGER) ||
  (key === 'maximum' && value === Number.MAX_SAFE_INTEGER) ||
  (key === 'pattern' && 'format' in node) ||
  (key === 'required' && Array.isArray(value) && value.length === 0);

/** Ids, accepted as string or number, become a string; nullable types become a list of types. */
function collapse(node: JsonSchema): JsonSchema {
  const { anyOf, type, ...rest } = node;
  if (Array.isArray(type) && type.join() === 'string,number' && !('enum' in rest))
    return { type: 'string', ...rest };
  const [only, none]: unknown[] = Array.isArray(anyOf) && anyOf.length === 2 ? anyOf : [];
  if (!isObject(only) || !isObject(none) || none['type'] !== 'null') return node;
  if (typeof only['type'] !== 'string' || 'enum' in only) return node;
  return { ...only, type: [only['type'], 'null'], ...rest };
}

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
