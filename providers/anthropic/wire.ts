import type {
  ContentBlockParam,
  MessageCreateParams,
  MessageParam,
  Tool,
} from '@anthropic-ai/sdk/resources/messages';

import { messageForms } from '../request/parameters.ts';
import type { ModelMessage, ModelRequest, ToolCall } from '../request/provider.ts';
import { blockOf, choiceOf, optionFields } from './options.ts';
import { thinkingBefore } from './thinking.ts';

/** `max_tokens` is a required field: default of a request without a limit. */
const DEFAULT_MAX_TOKENS = 4_096;
const MAX_NAME = 64;

/**
 * A request in the form of the Messages endpoint. The temperature is left out: the vendor's request type no
 * longer has the field, and newer models answer any value but their default with 400.
 */
export function toWire(request: ModelRequest): MessageCreateParams {
  const { model, messages, maxTokens = DEFAULT_MAX_TOKENS, stream = true, options = {} } = request;
  const system = messages.flatMap(({ role, content }) =>
    role === 'system' && content.trim() ? [{ type: 'text' as const, text: content }] : [],
  );
  const isMarked = request.tools.length > 0 && !messageForms(request.parameters).has('no_cache');
  return {
    model,
    max_tokens: maxTokens,
    stream,
    ...(system.length === 0 ? {} : { system: isMarked ? cached(system) : system }),
    messages: isMarked ? cachedTurns(turnsOf(messages)) : turnsOf(messages),
    ...optionFields(options),
    ...toolsOf(request, isMarked),
  };
}

const CACHED = { cache_control: { type: 'ephemeral' as const } };

/**
 * A mark on the last of these: what a request has up to there costs a tenth when the next one begins with it. The tools of
 * the platform are most of a short turn, and each of its rounds sends them again.
 */
const cached = <T extends object>(parts: readonly T[]): T[] =>
  parts.map((part, at) => (at === parts.length - 1 ? { ...part, ...CACHED } : part));

function cachedTurns(turns: MessageParam[]): MessageParam[] {
  const last = turns.at(-1);
  if (last?.role !== 'user' || typeof last.content === 'string') return turns;
  return [...turns.slice(0, -1), { ...last, content: cached(last.content) }];
}

/**
 * Roles must alternate and the user must begin: neighbours of one role become one message of several
 * blocks.
 */
function turnsOf(messages: readonly ModelMessage[]): MessageParam[] {
  const turns: { role: 'user' | 'assistant'; content: ContentBlockParam[] }[] = [];
  for (const message of messages) {
    const content = blocksOf(message);
    if (content.length === 0) continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (last || role === 'user') turns.push({ role, content });
  }
  const end = turns.at(-1);
  const block = end?.content.at(-1);
  // An answer to go on with may not end with a space.
  if (end?.role === 'assistant' && block?.type === 'text') block.text = block.text.trimEnd();
  return turns;
}

/** The vendor refuses empty text blocks, so they are left out. */
function blocksOf(message: ModelMessage): ContentBlockParam[] {
  const { role, content } = message;
  if (role === 'system') return [];
  const text = content.trim() ? [{ type: 'text' as const, text: content }] : [];
  if (message.role === 'tool') {
    return [{ type: 'tool_result', tool_use_id: idOf(message.toolCallId), content: text }];
  }
  if (message.role === 'user') return [...(message.media ?? []).map(blockOf), ...text];
  if (message.role !== 'assistant') return text;
  const [first = [], ...others] = (message.toolCalls ?? []).map((call) => [
    ...thinkingBefore(call),
    toolUse(call),
  ]);
  // With thinking on, an answer has to begin with it.
  return [...first.slice(0, -1), ...text, ...first.slice(-1), ...others.flat()];
}

const toolUse = (call: ToolCall): ContentBlockParam => ({
  type: 'tool_use',
  id: idOf(call.id),
  name: nameOf(call.name),
  input: inputOf(call.arguments),
});

/** An id in the form that the vendor accepts; call and result are changed alike. */
const idOf = (id: string): string => id.replaceAll(/[^\w-]/g, '_').slice(0, 128) || 'call';

/** A tool name in the form that the vendor accepts; the model may have called a tool that does not exist. */
const nameOf = (name: string): string => name.replaceAll(/[^\w-]/g, '_').slice(0, MAX_NAME) || '_';

/** Arguments as an object; {} for invalid JSON, which the call's result already reports. */
function inputOf(text: string): object {
  try {
    const input: unknown = JSON.parse(text);
    if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input;
  } catch {
    // Broken JSON: see above.
  }
  return {};
}

/** Calls in the history need definitions of their tools, also in the last round, which offers none. */
function toolsOf(
  { messages, tools, options = {} }: ModelRequest,
  isMarked: boolean,
): Pick<MessageCreateParams, 'tools' | 'tool_choice'> {
  if (tools.length > 0) {
    const offered = tools.map(({ name, description, parameters, strict }): Tool => ({
      name,
      description,
      input_schema: { ...parameters, type: 'object' },
      ...(strict === undefined ? {} : { strict }),
    }));
    return { tools: isMarked ? cached(offered) : offered, ...choiceOf(options) };
  }
  const called = messages.flatMap((message) =>
    message.role === 'assistant' ? (message.toolCalls ?? []).map(({ name }) => nameOf(name)) : [],
  );
  if (called.length === 0) return {};
  return {
    tools: [...new Set(called)].map((name) => ({ name, input_schema: { type: 'object' } })),
    tool_choice: { type: 'none' },
  };
}
