import { z } from 'zod';

import { FINISH_REASONS, type ToolCall } from '../../../../providers/request/provider.ts';
import { nameIn } from '../../../kernel/entity/answer.ts';
import { ACTION_STATUS } from '../../action/kind/status.ts';
import { ActionView } from '../../action/view.ts';
import { Annotation, Citation } from '../../session/citation.ts';
import { Facts } from '../../session/facts.ts';
import { Plot } from '../../session/plots.ts';

const event = <const T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ v: z.literal(1), seq: z.number().int(), type: z.literal(type), ...shape });

/** What happened in a turn beside its text, numbered in order. */
export const ChatEvent = z
  .discriminatedUnion('type', [
    event('turn.start', {
      conversation_id: z.string().nullable().describe('null: the turn is in no conversation'),
      turn_id: z.string().describe('Of GET /chat/stream/{turn_id}'),
      provider: z.string(),
      model: z.string(),
    }),
    event('tool.start', {
      call_id: z.string(),
      name: z.string().meta({ examples: ['getLatestPointValue'] }),
      title: z.string().meta({ examples: ['Latest value'] }),
      args: z.string().describe('In short'),
      args_digest: z.string(),
    }),
    event('tool.end', {
      call_id: z.string(),
      name: z.string().meta({ examples: ['getLatestPointValue'] }),
      status: z.enum(['success', 'failed']),
      result: z.string().describe('In short'),
      plots: z.array(Plot).describe('Values it looked at in time'),
      duration_ms: z.number(),
    }),
    event('citation', Citation.shape),
    event('action.pending', { card: ActionView }),
    event('action.decided', {
      action_id: z.string(),
      status: nameIn(ACTION_STATUS),
      decided_by: z.string().describe('Name; empty: it ended without a decision'),
    }),
    event('action.receipt', {
      action_id: z.string(),
      status: nameIn(ACTION_STATUS),
      done: z.boolean(),
      say: z.string(),
    }),
    event('warning', { code: z.string().meta({ examples: ['temperature_ignored'] }) }),
    event('facts', Facts.shape),
    event('turn.stored', {
      conversation_id: z.string(),
      turn_id: z.string(),
      status: z.enum(['OK', 'UNFINISHED']),
    }),
    event('turn.end', {
      steps: z.number().int(),
      tools: z.number().int(),
      stop: z.enum(['answered', 'pending', 'limit', 'deadline', 'client_tools']),
      conversation_id: z.string().nullable(),
      usage_estimated: z.literal(true).exactOptional(),
    }),
  ])
  .meta({ id: 'ChatEvent' });
export type ChatEvent = z.output<typeof ChatEvent>;

/** The extension of a whole answer; a chunk carries one event. */
const Extension = z.object({
  v: z.literal(1),
  conversation_id: z.string().nullable().describe('null: the turn is in no conversation'),
  events: z.array(ChatEvent),
  pending_actions: z.array(ActionView),
  warnings: z.array(z.string().meta({ examples: ['top_p_ignored'] })),
  usage_estimated: z
    .literal(true)
    .exactOptional()
    .describe('A vendor named no usage: its tokens are counted by the length of its texts'),
});

const Usage = z.object({
  prompt_tokens: z.number().int(),
  completion_tokens: z.number().int(),
  total_tokens: z.number().int(),
  prompt_tokens_details: z
    .object({ cached_tokens: z.number().int() })
    .optional()
    .describe('Where the vendor read some from its cache'),
  completion_tokens_details: z
    .object({ reasoning_tokens: z.number().int() })
    .optional()
    .describe('Where the model reasoned'),
});

const head = {
  id: z.string().meta({ examples: ['chatcmpl-5f0c9a7d1e2b3a4c5d6e7f80'] }),
  created: z.number().int().describe('Seconds since the epoch'),
  model: z.string().meta({ examples: ['qwen3:8b'] }),
};
const FinishReason = z.enum(FINISH_REASONS);
const Call = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
const Logprobs = z
  .object({ content: z.array(z.record(z.string(), z.unknown())), refusal: z.null() })
  .nullable();

const reasoning_content = z
  .string()
  .optional()
  .describe('What the model reasoned before it answered; left out where its vendor does not say');

/** The answer of a turn as one JSON object, in OpenAI's shape. */
export const ChatCompletion = z
  .object({
    ...head,
    object: z.literal('chat.completion'),
    choices: z.array(
      z.object({
        index: z.literal(0),
        message: z.object({
          role: z.literal('assistant'),
          content: z.string().nullable(),
          refusal: z
            .string()
            .nullable()
            .describe('Why there is no answer in the form of response_format'),
          reasoning_content,
          annotations: z.array(Annotation).optional(),
          tool_calls: z.array(Call).optional().describe("Calls of the client's own tools"),
        }),
        logprobs: Logprobs,
        finish_reason: FinishReason,
      }),
    ),
    usage: Usage,
    x_svc: Extension,
  })
  .meta({ id: 'ChatCompletion' });
export type ChatCompletion = z.output<typeof ChatCompletion>;

/** One server-sent frame of a turn, in OpenAI's shape. */
export const ChatCompletionChunk = z
  .object({
    ...head,
    object: z.literal('chat.completion.chunk'),
    choices: z
      .array(
        z.object({
          index: z.literal(0),
          delta: z.object({
            role: z.literal('assistant').optional(),
            content: z.string().optional(),
            refusal: z.string().optional(),
            reasoning_content,
            annotations: z.array(Annotation).optional(),
            tool_calls: z.array(Call.extend({ index: z.number().int() })).optional(),
          }),
          logprobs: Logprobs,
          finish_reason: FinishReason.nullable(),
        }),
      )
      .describe('Empty in the last chunk, which carries the usage'),
    usage: Usage.nullable().optional().describe('If stream_options.include_usage is set'),
    x_svc: ChatEvent.optional(),
  })
  .meta({ id: 'ChatCompletionChunk' });
export type ChatCompletionChunk = z.output<typeof ChatCompletionChunk>;

/** A call of a client's tool, in OpenAI's shape. */
export const wireCall = ({ id, name, arguments: text }: ToolCall) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: text },
});
