import { z } from 'zod';

import type { AnswerFormat } from '../../../../providers/request/options.ts';

const MAX_SCHEMA = 100_000;

const Schema = z
  .record(z.string(), z.unknown())
  .refine((given) => JSON.stringify(given).length <= MAX_SCHEMA, 'may hold 100,000 characters');

const Format = z
  .discriminatedUnion(
    'type',
    [
      z.object({ type: z.literal('text') }),
      z.object({ type: z.literal('json_object') }),
      z.object({
        type: z.literal('json_schema'),
        json_schema: z.object({
          name: z.string().regex(/^[\w-]{1,64}$/),
          schema: Schema,
          description: z.string().max(2_000).nullish(),
          strict: z.boolean().nullish(),
        }),
      }),
    ],
    { error: 'must be of the type text, json_object or json_schema' },
  )
  .nullish()
  .transform((given): AnswerFormat | undefined => {
    if (!given || given.type === 'text') return undefined;
    if (given.type === 'json_object') return { type: 'json_object' };
    const { name, schema, description, strict } = given.json_schema;
    return {
      type: 'json_schema',
      name,
      schema,
      ...(description ? { description } : {}),
      ...(typeof strict === 'boolean' ? { strict } : {}),
    };
  });

/** `response_format` of OpenAI; undefined: text, as which the empty field of a form is taken, too. */
export const ResponseFormat = z.preprocess((given) => (isEmpty(given) ? null : given), Format);

const isEmpty = (given: unknown): boolean =>
  given === '' || (typeof given === 'object' && given !== null && Object.keys(given).length === 0);
