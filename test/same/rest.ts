import { z } from 'zod';

import type { Session } from '../support/people/session.ts';
import { type Artefact, ask } from './record.ts';

type Field = { type?: unknown; examples?: unknown[]; enum?: unknown[]; default?: unknown };
const Fields = z.looseObject({
  properties: z.record(z.string(), z.looseObject({})).optional(),
  required: z.array(z.string()).optional(),
});
const Operation = z.looseObject({
  parameters: z
    .array(
      z.looseObject({
        name: z.string(),
        required: z.boolean().optional(),
        schema: z.looseObject({}).optional(),
      }),
    )
    .optional(),
  requestBody: z
    .looseObject({ content: z.record(z.string(), z.looseObject({ schema: Fields.optional() })) })
    .optional(),
});
export const Document = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.record(z.string(), z.record(z.string(), z.unknown())),
});
type Document = z.infer<typeof Document>;

/** These end the login that asks, or wait for what does not come. */
const LEFT_OUT = /token\/cancel|\/logout|\/password\/|chat\/completions|v1\/|doctor/;
/** Pages of the platform that need no login. */
const PAGES = [
  '/',
  '/console',
  '/swagger-ui.html',
  '/swagger-ui/init.js',
  '/healthz',
  '/readyz',
  '/none',
  '/api/v3/none',
];

/** The document in sections: an operation or a schema each. */
export function sections({ paths, components, ...others }: Document): Artefact {
  const artefact: Artefact = new Map();
  const add = (name: string, value: unknown) =>
    artefact.set(
      name,
      JSON.stringify(value, null, 1).replace(/http:\/\/127\.0\.0\.1:\d+/g, 'http://platform'),
    );
  add('document', others);
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) add(`${method} ${path}`, operation);
  for (const [kind, values] of Object.entries(components))
    for (const [name, value] of Object.entries(values)) add(`${kind} ${name}`, value);
  return artefact;
}

/** Every operation of the document: without a login, with nothing, and with the examples of what it requires. */
export async function rest(document: Document, { base, headers }: Session): Promise<Artefact> {
  const artefact: Artefact = new Map();
  for (const path of PAGES) await ask(artefact, `GET ${path}`, `${base}${path}`);
  for (const [path, methods] of Object.entries(document.paths)) {
    if (!path.startsWith('/api/v3/') || LEFT_OUT.test(path)) continue;
    for (const [method, described] of Object.entries(methods)) {
      if (method !== 'get' && method !== 'post') continue;
      const operation = Operation.parse(described);
      const name = `${method} ${path}`;
      const posted = method === 'post';
      await ask(artefact, `${name} anonymous`, base + path, posted ? { body: {} } : {});
      await ask(artefact, `${name} empty`, base + path, { headers, ...(posted && { body: {} }) });
      const { query, body } = examples(operation);
      const more = { headers, ...(posted && { body }) };
      await ask(artefact, `${name} example`, `${base}${path}?${query.toString()}`, more);
    }
  }
  return artefact;
}

function examples({ parameters = [], requestBody }: z.infer<typeof Operation>) {
  const query = new URLSearchParams();
  for (const { name, required, schema } of parameters)
    if (required) query.set(name, String(example(schema ?? {})));
  const fields = requestBody?.content['application/json']?.schema;
  const required = new Set(fields?.required);
  const given = Object.entries(fields?.properties ?? {}).filter(([name]) => required.has(name));
  return { query, body: Object.fromEntries(given.map(([name, field]) => [name, example(field)])) };
}

const example = ({ examples: [first] = [], enum: [one] = [], type }: Field): unknown =>
  first ??
  one ??
  { integer: 1, number: 1, boolean: true, array: [], object: {} }[String(type)] ??
  '7312';
