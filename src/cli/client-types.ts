import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { z } from 'zod';

import { openApi } from '../gateway/openapi/document.ts';
import type { JsonSchema } from '../kernel/input/json-schema.ts';
import { boundsIn } from './form-bounds.ts';

const Node: z.ZodType<JsonSchema> = z.record(z.string(), z.unknown());
const Content = z.record(z.string(), z.looseObject({ schema: Node.nullish() }));
const Operation = z.looseObject({
  parameters: z
    .array(z.looseObject({ name: z.string(), in: z.string(), required: z.boolean(), schema: Node }))
    .default([]),
  requestBody: z.looseObject({ required: z.boolean(), content: Content }).optional(),
  responses: z.record(z.string(), z.looseObject({ content: Content.optional() })),
});
const Document = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.looseObject({ schemas: z.record(z.string(), Node) }),
});

/** What all paths of the API begin with; the client leaves it out. */
const PREFIX = '/api/v3';

/**
 * TypeScript of an OpenAPI 3.1 document: `Schemas` by name, and `Operations` by method and path with what each takes
 * (query and body as one) and the `data` that it answers.
 */
function clientTypes(document: JsonSchema): string {
  const { paths, components } = Document.parse(document);
  const operations = Object.entries(paths)
    .filter(([path]) => path.startsWith(`${PREFIX}/`))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        const name = `${method.toUpperCase()} ${path.slice(PREFIX.length)}`;
        const { input, answer } = sidesOf(operation);
        return `  ${JSON.stringify(name)}: { input: ${input}; answer: ${answer} };`;
      }),
    );
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `  ${name}: ${typeOf(schema)};`,
  );
  return [
    '// Generated from the OpenAPI document by `npm run types`; not committed.',
    `export type Schemas = {\n${schemas.join('\n')}\n};`,
    `export type Operations = {\n${operations.join('\n')}\n};\n`,
  ].join('\n');
}

function sidesOf({ parameters, requestBody, responses }: z.output<typeof Operation>) {
  const query = objectOf(
    parameters.map(({ name, required, schema }) => [name, schema, required] as const),
  );
  const body = requestBody?.content['application/json']?.schema;
  const input = [
    ...(parameters.length > 0 ? [query] : []),
    ...(body ? [typeOf(body)] : []),
    ...(requestBody?.content['multipart/form-data'] ? ['{ file: Blob }'] : []),
  ];
  const [answered = {}] = Object.values(responses[200]?.content ?? {}).map(({ schema }) => schema);
  const data = z.looseObject({ properties: z.looseObject({ data: Node }) }).safeParse(answered);
  return {
    input: input.length > 0 ? input.join(' & ') : '{}',
    answer: data.success ? typeOf(data.data.properties.data) : 'unknown',
  };
}

const Parts = z.array(Node);

function typeOf(schema: JsonSchema): string {
  const { $ref, anyOf, oneOf, allOf, enum: values, const: value, type } = schema;
  if (typeof $ref === 'string') return `Schemas[${JSON.stringify($ref.split('/').at(-1))}]`;
  if (Array.isArray(values)) return values.map((each) => JSON.stringify(each)).join(' | ');
  if (value !== undefined) return JSON.stringify(value);
  const either = anyOf ?? oneOf;
  if (either !== undefined)
    return `(${Parts.parse(either)
      .map((part) => typeOf(part))
      .join(' | ')})`;
  if (allOf !== undefined) {
    const parts = Parts.parse(allOf).map((part) => typeOf(part));
    return [...parts, ...(schema['properties'] ? [membersOf(schema)] : [])].join(' & ');
  }
  if (Array.isArray(type)) return type.map((each) => typeOf({ ...schema, type: each })).join(' | ');
  switch (type) {
    case 'string':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array': {
      const items = Node.safeParse(schema['items']);
      return `readonly (${items.success ? typeOf(items.data) : 'unknown'})[]`;
    }
    case 'object':
      return membersOf(schema);
    default:
      return 'unknown';
  }
}

function membersOf(schema: JsonSchema): string {
  const properties = z.record(z.string(), Node).default({}).parse(schema['properties']);
  const required = new Set(z.array(z.string()).default([]).parse(schema['required']));
  const rest = Node.safeParse(schema['additionalProperties']);
  const members = Object.entries(properties).map(
    ([name, member]) => [name, member, required.has(name)] as const,
  );
  if (members.length === 0)
    return `Record<string, ${rest.success && Object.keys(rest.data).length > 0 ? typeOf(rest.data) : 'unknown'}>`;
  return objectOf(members);
}

const objectOf = (members: readonly (readonly [string, JsonSchema, boolean])[]): string =>
  `{ ${members
    .map(
      ([name, schema, required]) =>
        `${JSON.stringify(name)}${required ? '' : '?'}: ${typeOf(schema)}${required ? '' : ' | undefined'};`,
    )
    .join(' ')} }`;

function boundsText(bounds: ReturnType<typeof boundsIn>): string {
  const lines = Object.entries(bounds).map(
    ([name, fields]) => `  ${JSON.stringify(name)}: ${JSON.stringify(fields)},`,
  );
  return [
    '// Generated from the OpenAPI document by `npm run types`: what the fields of forms keep to.',
    `export const bounds = {\n${lines.join('\n')}\n} as const;\n`,
  ].join('\n');
}

/**
 * Writes the types of the console's client, which the type check reads: every operation of the OpenAPI document; and
 * the bounds that its forms keep to.
 */
const app = fileURLToPath(new URL('../console/app/', import.meta.url));
const document: JsonSchema = openApi({ baseUrl: '' });
writeFileSync(`${app}client/operations.ts`, clientTypes(document));
const pages = globSync(`${app}page/**/*.{ts,tsx}`).map((file) => readFileSync(file, 'utf8'));
writeFileSync(`${app}client/bounds.ts`, boundsText(boundsIn(document, pages)));
