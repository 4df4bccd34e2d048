import { z } from 'zod';

import type { ToolCall } from '../../../../providers/request/provider.ts';
import { ActionView } from '../../action/view.ts';
import { FlatAnnotation } from '../../session/citation.ts';
import { itemIdOf } from '../request/items.ts';
import { ChatEvent } from './completion.ts';

export const OutputText = z.object({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(FlatAnnotation),
  logprobs: z.array(z.record(z.string(), z.unknown())),
});
const Refusal = z.object({ type: z.literal('refusal'), refusal: z.string() });
const MessagePart = z.discriminatedUnion('type', [OutputText, Refusal]);
export type MessagePart = z.output<typeof MessagePart>;
const status = z.enum(['in_progress', 'completed', 'incomplete']);
const MessageItem = z.object({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  status,
  content: z.array(MessagePart),
});
const CallItem = z.object({
  id: z.string(),
  type: z.literal('function_call'),
  status,
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
});
const ReasoningItem = z.object({
  id: z.string(),
  type: z.literal('reasoning'),
  summary: z.array(z.object({ type: z.literal('summary_text'), text: z.string() })),
});
export const OutputItem = z.discriminatedUnion('type', [MessageItem, CallItem, ReasoningItem]);
export type OutputItem = z.output<typeof OutputItem>;

/** A response in the form of OpenAI's Responses API. */
export const ChatResponse = z
  .object({
    id: z.string().meta({ examples: ['resp_5f0c9a7d1e2b3a4c5d6e7f80'] }),
    object: z.literal('response'),
    created_at: z.number().int().describe('Seconds since the epoch'),
    status: z.enum(['in_progress', 'completed', 'incomplete', 'failed', 'cancelled']),
    model: z.string().meta({ examples: ['qwen3:8b'] }),
    output: z.array(OutputItem),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    incomplete_details: z
      .object({ reason: z.enum(['max_output_tokens', 'content_filter']) })
      .nullable(),
    instructions: z.string().nullable(),
    previous_response_id: z.string().nullable(),
    conversation: z.object({ id: z.string() }).nullable(),
    max_output_tokens: z.number().int().nullable(),
    temperature: z.number().nullable(),
    top_p: z.number().nullable(),
    parallel_tool_calls: z.boolean(),
    tool_choice: z.unknown(),
    tools: z.array(z.unknown()),
    text: z.unknown(),
    reasoning: z.unknown(),
    metadata: z.unknown(),
    store: z.boolean(),
    background: z.boolean(),
    truncation: z.literal('disabled'),
    usage: z
      .object({
        input_tokens: z.number().int(),
        input_tokens_details: z.object({ cached_tokens: z.number().int() }),
        output_tokens: z.number().int(),
        output_tokens_details: z.object({ reasoning_tokens: z.number().int() }),
        total_tokens: z.number().int(),
      })
      .nullable(),
    x_svc: z
      .object({
        v: z.literal(1),
        conversation_id: z.string().nullable(),
        events: z.array(ChatEvent),
        pending_actions: z.array(ActionView),
        warnings: z.array(z.string()),
      })
      .optional(),
  })
  .meta({ id: 'ChatResponse' });
export type ChatResponse = z.output<typeof ChatResponse>;

export const messageItem = (
  id: string,
  content: MessagePart[],
  itemStatus: z.output<typeof status>,
): z.output<typeof MessageItem> => ({
  id,
  type: 'message',
  role: 'assistant',
  status: itemStatus,
  content,
});

/** What a model thought before it went on. */
export type Thought = { id: string; text: string };

/** With the text of a thought that has ended. */
export const reasoningItem = (id: string, text: string): OutputItem => ({
  id,
  type: 'reasoning',
  summary: text === '' ? [] : [{ type: 'summary_text', text }],
});

export const callItem = (
  call: ToolCall,
  itemStatus: z.output<typeof status>,
): z.output<typeof CallItem> => ({
  id: itemIdOf(call.id),
  type: 'function_call',
  status: itemStatus,
  call_id: call.id,
  name: call.name,
  arguments: call.arguments,
});
