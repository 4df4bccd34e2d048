import type { JsonSchema } from '../../kernel/input/json-schema.ts';

/** JSON content, by the name of its schema in the document. */
export const json = (name: string) => ({
  'application/json': { schema: { $ref: `#/components/schemas/${name}` } },
});

/** Server-sent events as the text that they are; `x-data` names what each `data:` line holds. */
export const events = (description: string, ...names: string[]) => ({
  'text/event-stream': {
    schema: {
      type: 'string',
      description,
      'x-data': { oneOf: names.map((name) => ({ $ref: `#/components/schemas/${name}` })) },
    },
  },
});

export const answer = (description: string, name: string): JsonSchema => ({
  description,
  content: json(name),
});

/** Responses of an operation that refuses in the shape of its own standard. */
export const refusal = (name: string) => ({
  '4XX': answer('Refused; the error says why', name),
});
