import { z } from 'zod';

import { FIXED_PARAMETERS, MESSAGE_FORMS } from '../../../providers/request/parameters.ts';

const MAX_PARAMETERS = 20;
const MAX_ADDED = 4_000;
const MIN_TOOLS = 4;
const MAX_TOOLS = 128;
const MIN_CONTEXT = 100;
const MAX_CONTEXT = 100_000_000;

const Name = z
  .string()
  .regex(/^[a-zA-Z_][\w.-]{0,63}$/, 'must be the name of a field')
  .refine((name) => !FIXED_PARAMETERS.has(name), 'is a field that no map may touch');

const bounded = (fields: object): boolean => Object.keys(fields).length <= MAX_PARAMETERS;
const few = `at most ${MAX_PARAMETERS}`;

/** Changes of the fields of a model's requests: renamed, then dropped, then added. */
export const Parameters = z
  .strictObject({
    add: z
      .record(Name, z.unknown())
      .refine(bounded, few)
      .refine(
        (added) => JSON.stringify(added).length <= MAX_ADDED,
        `at most ${MAX_ADDED} characters`,
      )
      .optional(),
    rename: z.record(Name, Name).refine(bounded, few).optional(),
    drop: z.array(Name).max(MAX_PARAMETERS).optional(),
    tools: z
      .number()
      .int()
      .min(MIN_TOOLS)
      .max(MAX_TOOLS)
      .optional()
      .describe(
        'How many tools a request lists: those that its question needs, and one that finds the others; without it all, or ten for a model whose name says that it is small',
      ),
    messages: z
      .array(z.enum(MESSAGE_FORMS))
      .max(MESSAGE_FORMS.length)
      .optional()
      .describe('Forms of messages that the vendor demands; learned from its refusals too'),
    thinksFirst: z
      .boolean()
      .optional()
      .describe(
        'Its texts begin in a thought, which its template opened and `</think>` ends; learned from its answers too',
      ),
    contextTokens: z
      .number()
      .int()
      .min(MIN_CONTEXT)
      .max(MAX_CONTEXT)
      .optional()
      .describe(
        'How many tokens a question with its history, and its answer, have together at most, by estimate; learned from refusals too',
      ),
  })
  .meta({
    examples: [{ rename: { max_tokens: 'max_completion_tokens' }, drop: ['temperature'] }],
  });
export type Parameters = z.output<typeof Parameters>;

/** By the name of a model: what the refusals of its vendor have shown. */
const Learned = z.record(z.string(), Parameters.catch({}));

/** By model: what was learned; nothing where it cannot be read. */
export const allLearned = (stored: unknown): Record<string, Parameters> =>
  Learned.safeParse(stored).data ?? {};

export const learnedOf = (stored: unknown, model: string): Parameters =>
  allLearned(stored)[model] ?? {};

/** A stored map; nothing where it cannot be read. */
export const parametersOf = (stored: unknown): Parameters =>
  Parameters.safeParse(stored).data ?? {};

export const isEmpty = ({
  add = {},
  rename = {},
  drop = [],
  messages = [],
  ...others
}: Parameters): boolean =>
  Object.values(others).every((value) => value === undefined) &&
  Object.keys(add).length + Object.keys(rename).length + drop.length + messages.length === 0;
