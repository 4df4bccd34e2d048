import type { z } from 'zod';

import { type JsonSchema, requestSchema } from '../../kernel/input/json-schema.ts';
import { type Examples, withExamples } from './examples.ts';

export type Parameter = { name: string; in: 'query'; required: boolean; schema: unknown };

/** Query parameters of a GET route; an object is sent as JSON text. */
export function parametersOf(input: z.ZodType, examples: Examples): Parameter[] {
  const { properties, required } = withExamples(requestSchema(input), examples);
  return Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: Array.isArray(required) && required.includes(name),
    schema,
  }));
}

/** The JSON body of a POST route; required if one of its fields is. `parts` collects the components that it refers to. */
export function bodyOf(
  input: z.ZodType,
  { examples, parts }: { examples: Examples; parts: Record<string, JsonSchema> },
): { required: boolean; content: JsonSchema } | null {
  const schema = withExamples(requestSchema(input, parts), examples);
  if (Object.keys(schema).length === 0) return null;
  const { type, required } = schema;
  return {
    required: type !== 'object' || (Array.isArray(required) && required.length > 0),
    content: { 'application/json': { schema } },
  };
}

/** The form of a route that takes a file; its other fields are query parameters. */
export const fileForm = {
  required: true,
  content: {
    'multipart/form-data': {
      schema: {
        type: 'object',
        required: ['file'],
        properties: { file: { type: 'string', format: 'binary' } },
      },
    },
  },
};

/** The body of a route that is signed, and the headers with one proof or another; its other fields are query parameters. */
export const signedForm = {
  required: true,
  content: {
    'application/json': {
      schema: {
        type: 'object',
        properties: { type: { type: 'string' }, data: { type: 'object' } },
      },
    },
  },
};
export const signedHeaders = [
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
  'x-pagerduty-signature',
  'x-answer-secret',
].map((name) => ({ name, in: 'header', required: false, schema: { type: 'string' } }));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
