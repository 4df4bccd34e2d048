import type { ModelMessage } from './provider.ts';

/** What a vendor wants beside the calls of its model, as far as its refusals show; `nothing`: not even its own. */
export type Demanded = 'reasoning_content' | 'thought_signature' | 'nothing';

const MISSES = /missing|must be (passed|provided|included|sent)|required/i;
const REFUSES = /unsupported|not supported|unrecogni[sz]ed|unknown|unexpected|not permitted/i;
/** As the name of a field: reasoning is a word of other refusals too. */
const PART = /["'`.](reasoning_content|reasoning|extra_content)(?![\w-])/;

/** What a refusal of these messages shows; null: nothing that would help. */
export function demandedFrom(text: string, messages: readonly ModelMessage[]): Demanded | null {
  const missed = (['reasoning_content', 'thought_signature'] as const).find((name) =>
    text.includes(name),
  );
  if (missed && MISSES.test(text)) return missed;
  return PART.test(text) && REFUSES.test(text) && messages.some(hasParts) ? 'nothing' : null;
}

const hasParts = (message: ModelMessage): boolean =>
  message.role === 'assistant' &&
  (message.reasoning !== undefined ||
    (message.toolCalls ?? []).some(({ extra }) => extra !== undefined));

/** A message with its calls and nothing that only their vendor understands. */
export function withoutParts(message: ModelMessage): ModelMessage {
  if (message.role !== 'assistant' || !message.toolCalls) return message;
  const { role, content, toolCalls } = message;
  return { role, content, toolCalls: toolCalls.map(({ extra: _extra, ...call }) => call) };
}

/** Named by Google for calls that its model did not make. */
const NO_SIGNATURE = { google: { thought_signature: 'skip_thought_signature_validator' } };

/** Messages in which each call has what the vendor wants: those of the platform and of earlier turns came without it. */
export const withDemanded = (
  messages: readonly ModelMessage[],
  demanded: Demanded | undefined,
): readonly ModelMessage[] =>
  demanded === undefined ? messages : messages.map((message) => filled(message, demanded));

function filled(message: ModelMessage, demanded: Demanded): ModelMessage {
  if (message.role !== 'assistant' || !message.toolCalls?.length) return message;
  if (demanded === 'nothing') return withoutParts(message);
  if (demanded === 'reasoning_content')
    return { reasoning: { field: 'reasoning_content', text: '' }, ...message };
  // Of calls side by side, the first has it alone.
  const toolCalls = message.toolCalls.map((call, at) =>
    at === 0 ? { extra: NO_SIGNATURE, ...call } : call,
  );
  return { ...message, toolCalls };
}
