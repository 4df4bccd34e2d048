import type { Route } from '../../kernel/app/route.ts';
import { answerSchemas, type JsonSchema } from '../../kernel/input/json-schema.ts';
import { type Examples, examplesIn } from './examples.ts';

const envelope: JsonSchema = {
  type: 'object',
  required: ['ok', 'code', 'message'],
  properties: {
    ok: { type: 'boolean' },
    code: { type: 'string', examples: ['R200'] },
    message: { type: 'string', examples: ['Success'] },
  },
};

const failure: JsonSchema = {
  allOf: [{ $ref: '#/components/schemas/Envelope' }],
  properties: { ok: { const: false }, data: { type: 'object' } },
  description: 'The code says the kind (R404 …); data.fields names what was wrong with a field',
};

export type Answers = {
  /** Schemas that operations share, by name. */
  schemas: Record<string, JsonSchema>;
  /** Schema of `data` in the answer of a route; null for a route without one. */
  dataOf(center: string, route: Pick<Route, 'path'>): JsonSchema | null;
  /** Examples for the request of a route: of the answers of its noun, then of all. */
  examplesFor(center: string, route: Pick<Route, 'path'>): Examples;
};

/** The answers of all routes, as their endpoint tables declare them, and `extra` ones by name. */
export function answersOf(
  centers: Record<string, readonly Route[]>,
  extra: Record<string, Route['input']>,
): Answers {
  const outputs = Object.entries(centers).flatMap(([center, routes]) =>
    routes.map(({ path, output }) => [center + path, output] as const),
  );
  const { $defs, properties } = answerSchemas({ ...extra, ...Object.fromEntries(outputs) });
  const examples = new Map<string, Examples>();
  return {
    schemas: {
      Envelope: envelope,
      Failure: failure,
      ...Object.fromEntries(
        Object.entries($defs).map(([name, schema]) => [name, relinked(schema)]),
      ),
    },
    dataOf(center, { path }) {
      const schema = properties[center + path] ?? {};
      return Object.keys(schema).length > 0 ? relinked(schema) : null;
    },
    examplesFor(center, { path }) {
      const noun = `${center}/${path.split('/')[1]}/`;
      const answers = Object.entries(properties).filter(([at]) => at.startsWith(noun));
      const known = examples.get(noun) ?? examplesIn([answers, $defs], $defs);
      examples.set(noun, known);
      return known;
    },
  };
}

/** The schema with references to the document's components. */
const relinked = (schema: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
