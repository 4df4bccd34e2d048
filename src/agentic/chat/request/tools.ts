import { z } from 'zod';

import type { ToolChoice } from '../../../../providers/request/options.ts';
import type { ModelTool } from '../../../../providers/request/provider.ts';
import { AppError, BadRequest } from '../../../kernel/errors.ts';
import { optional } from './optional.ts';

const MAX_TOOLS = 128;
const MAX_DESCRIPTIONS = 200_000;
const ONLY_FUNCTIONS = 'tools may be of the type function';

const Name = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,64}$/, 'may be letters, digits, _ and -, at most 64');

const FunctionTool = z
  .object({
    type: z.literal('function', ONLY_FUNCTIONS),
    function: z.object({
      name: Name,
      description: z.string().max(10_000).nullish(),
      parameters: z.record(z.string(), z.unknown()).nullish(),
      strict: z.boolean().nullish(),
    }),
  })
  .transform(({ function: { name, description, parameters, strict } }): ModelTool => ({
    name,
    description: description ?? '',
    parameters: parameters ?? { type: 'object', properties: {} },
    ...(typeof strict === 'boolean' ? { strict } : {}),
  }));

const Named = z.object({ type: z.literal('function'), function: z.object({ name: Name }) });
const Allowed = z.object({
  type: z.literal('allowed_tools'),
  allowed_tools: z.object({
    mode: z.enum(['auto', 'required']),
    tools: z.array(Named, ONLY_FUNCTIONS).min(1).max(MAX_TOOLS),
  }),
});
const Word = z.preprocess(
  // Mistral's word.
  (given) => (given === 'any' ? 'required' : given),
  z.enum(['none', 'auto', 'required']),
);
const Choice = z.union([Word, Named, Allowed], {
  error: 'must be none, auto, required, a function or allowed_tools',
});

/** The fields of a request about tools, as OpenAI names them. */
export const toolFields = {
  tools: optional(
    z
      .array(FunctionTool)
      .max(MAX_TOOLS)
      .refine((tools) => JSON.stringify(tools).length <= MAX_DESCRIPTIONS, 'are too long'),
  ),
  tool_choice: optional(Choice),
  parallel_tool_calls: optional(z.boolean()),
};

/** The client's own tools, which it runs itself, and what its request says about all. */
export type ToolWishes = {
  own: readonly ModelTool[];
  choice: ToolChoice | undefined;
  /** Names of all tools that may be offered; null: every one. */
  allowed: readonly string[] | null;
  parallel: boolean | undefined;
};

export const NO_WISHES: ToolWishes = {
  own: [],
  choice: undefined,
  allowed: null,
  parallel: undefined,
};

const Wishes = z.object(toolFields);

/** Throws BadRequest for two tools of one name. */
export function toolWishesOf(given: z.output<typeof Wishes>): ToolWishes {
  const { tools: own = [], tool_choice: choice, parallel_tool_calls: parallel } = given;
  const names = own.map(({ name }) => name.toLowerCase());
  const twice = own.find((_, at) => names.indexOf(names[at] ?? '') !== at);
  if (twice) throw new BadRequest(`tools: ${twice.name} is there twice`, { param: 'tools' });
  if (typeof choice !== 'object') return { own, choice, allowed: null, parallel };
  if (choice.type === 'function')
    return { own, choice: { name: choice.function.name }, allowed: null, parallel };
  const { mode, tools } = choice.allowed_tools;
  return { own, choice: mode, allowed: tools.map((tool) => tool.function.name), parallel };
}

/**
 * Refuses a tool of the client with the name of one of the platform, in whichever case: a model that calls it could not
 * say which. `reserved` are the platform's.
 */
export function demandOwnNames(
  { own }: Pick<ToolWishes, 'own'>,
  reserved: readonly string[],
): void {
  const taken = new Set(reserved.map((name) => name.toLowerCase()));
  const conflict = own.find(({ name }) => taken.has(name.toLowerCase()));
  if (!conflict) return;
  throw new AppError(
    400,
    'tool_name_conflict',
    `tools: ${conflict.name} is a tool of the platform, which runs it itself; give yours another name`,
    { detail: { param: 'tools' } },
  );
}
