import { z } from 'zod';

import { EFFORTS, VERBOSITIES } from '../../../../providers/request/options.ts';
import { BadRequest } from '../../../kernel/errors.ts';
import { Text } from '../../../kernel/input/text.ts';
import { afterReference, Input, messagesOf } from './items.ts';
import { optional } from './optional.ts';
import { type ChatRequest, readChatRequest } from './request.ts';

const MAX_TOOLS = 128;
const LOGPROBS = 'message.output_text.logprobs';

const FunctionTool = z.object({
  type: z.literal('function', 'tools may be of the type function'),
  name: z.string(),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
});
const Format = z.looseObject({ type: z.string() });
const Named = z.object({ type: z.literal('function'), name: z.string() });
const Allowed = z.object({
  type: z.literal('allowed_tools'),
  mode: z.enum(['auto', 'required']),
  tools: z.array(Named).min(1).max(MAX_TOOLS),
});
const not = (message: string) => z.null(message).optional();

/** The Responses API of OpenAI; unknown fields are ignored. */
const Fields = z.object({
  input: Input.optional(),
  instructions: optional(z.string()),
  previous_response_id: optional(Text(128)),
  conversation: optional(
    z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]),
  ),
  /** From a header, by clients that have no field for it. */
  conversationId: optional(z.string()),
  max_output_tokens: z.unknown().optional(),
  tools: optional(z.array(FunctionTool).max(MAX_TOOLS)),
  tool_choice: optional(z.union([z.enum(['none', 'auto', 'required']), Named, Allowed])),
  text: optional(z.object({ format: optional(Format), verbosity: optional(z.enum(VERBOSITIES)) })),
  reasoning: optional(z.object({ effort: optional(z.enum(EFFORTS)) })),
  include: optional(z.array(z.string()).max(20)),
  store: optional(z.boolean()),
  background: optional(z.boolean()),
  prompt: not('stored prompts are not supported'),
});
const Body = Fields.refine(({ background, store }) => !background || store !== false, {
  path: ['background'],
  message: 'a response is made in the background only where it is stored',
});
type Body = z.output<typeof Body>;

/** Fields that a response repeats. */
export type Echo = Pick<Body, 'instructions' | 'tools' | 'tool_choice' | 'text' | 'reasoning'> & {
  previousId: string | undefined;
  parallel: boolean;
  store: boolean;
  /** It is made without its client, which reads it by its id. */
  background: boolean;
  temperature: number | null;
  topP: number | null;
  maxTokens: number | null;
  metadata: unknown;
};

export type ResponseRequest = {
  chat: ChatRequest;
  previousId: string | undefined;
  /** The item that the request goes on after, where it names no response or conversation. */
  answer: string | null;
  /** As it was given: a text or items. */
  input: unknown;
  echo: Echo;
};

/** A request of the Responses API as one of chat completions; throws as `readChatRequest` does. */
export function readResponseRequest(body: unknown): ResponseRequest {
  const given = Body.parse(body);
  const { previous_response_id: previousId, conversation, store = true } = given;
  if (previousId !== undefined && conversation !== undefined) {
    throw new BadRequest('previous_response_id and conversation exclude each other', {
      param: 'previous_response_id',
    });
  }
  const { answer, rest } = afterReference(given.input ?? []);
  const others: Record<string, unknown> = { ...z.looseObject({}).parse(body) };
  const chat = readChatRequest({
    ...picked(others),
    messages: [
      ...(given.instructions === undefined
        ? []
        : [{ role: 'system', content: given.instructions }]),
      ...messagesOf(rest),
    ],
    max_completion_tokens: given.max_output_tokens,
    reasoning_effort: given.reasoning?.effort,
    verbosity: given.text?.verbosity,
    response_format: formatOf(given),
    tools: given.tools?.map(({ type, ...named }) => ({ type, function: named })),
    tool_choice: choiceOf(given),
    ...(given.include?.includes(LOGPROBS) ? { logprobs: true } : { top_logprobs: undefined }),
    conversationId: conversation ?? given.conversationId,
    store,
  });
  const { temperature = null, maxTokens = null, sampling, tools } = chat;
  return {
    chat,
    previousId,
    input: others['input'] ?? [],
    answer: previousId === undefined && chat.conversationId === undefined ? answer : null,
    echo: {
      ...given,
      previousId,
      parallel: tools.parallel ?? true,
      store,
      background: given.background === true,
      temperature,
      maxTokens,
      topP: sampling.topP ?? null,
      metadata: others['metadata'] ?? {},
    },
  };
}

const PASSED = [
  'model',
  'stream',
  'temperature',
  'top_p',
  'top_logprobs',
  'parallel_tool_calls',
  'metadata',
  'user',
];

/** Fields with the same name and meaning in both forms. */
const picked = (body: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(PASSED.map((name) => [name, body[name]]));

function formatOf({ text }: Body): unknown {
  const { type, ...named } = text?.format ?? { type: 'text' };
  return type === 'json_schema' ? { type, json_schema: named } : { type };
}

function choiceOf({ tool_choice: choice }: Body): unknown {
  if (typeof choice !== 'object') return choice;
  const named = ({ type, name }: z.output<typeof Named>) => ({ type, function: { name } });
  if (choice.type === 'function') return named(choice);
  const { type, mode, tools } = choice;
  return { type, allowed_tools: { mode, tools: tools.map(named) } };
}
