import { shortId } from '../../../../providers/request/call-id.ts';
import type {
  FinishReason,
  ModelMessage,
  Reasoning,
  Say,
  ToolCall,
} from '../../../../providers/request/provider.ts';
import type { Asking, ModelQuestion } from '../../provider/ask/ask.ts';
import type { AskDelta } from '../../provider/ask/attempt.ts';
import { partsKey } from '../../provider/ask/vendor-parts.ts';
import { unfenced } from '../request/formed.ts';
import { type Logprobs, type TurnEvent } from './event.ts';

const MAX_ARGUMENTS = 16_384;
/** A client's tool may take a whole document. */
const MAX_CLIENT_ARGUMENTS = 262_144;
/** Characters of a message's reasoning that are given back. */
const MAX_REASONING = 262_144;

export type Answer = {
  text: string;
  logprobs: Logprobs;
  isRefusal: boolean;
  calls: ToolCall[];
  reason: FinishReason;
  /** null: the vendor has no field for it. */
  reasoning: Reasoning | null;
};

/** What the rounds of a turn add up. */
export type Tally = {
  /** Ids of calls, which are unique in the turn. */
  used: Set<string>;
  /** Whether the client runs the tool of this name. */
  isClients(name: string): boolean;
  /** The id for the next call of a client's tool. */
  nextClientId(): string;
  /** An earlier answer sent reasoning: the reasoning of this one begins a paragraph. */
  hasReasoned: boolean;
};

/** One model answer: says or yields its text at once, unless `isHeld`, and collects its calls. */
export async function* oneRound(
  asking: Asking,
  request: ModelQuestion,
  tally: Tally,
  { isHeld, signal, say }: { isHeld: boolean; signal: AbortSignal; say: Say },
): AsyncGenerator<TurnEvent, Answer> {
  const fence = request.options?.format || isHeld ? unfenced() : null;
  const calls = new Map<number, ToolCall>();
  const answer: Answer = {
    text: '',
    logprobs: [],
    isRefusal: false,
    calls: [],
    reason: 'stop',
    reasoning: null,
  };
  const unwrapped = (text: string): string => {
    const said = fence ? fence.take(text) : text;
    answer.text += said;
    return isHeld ? '' : said;
  };
  const spoken: Say = (text) => {
    const said = unwrapped(text);
    return said === '' ? undefined : say(said);
  };
  let isFirst = true;
  for await (const delta of asking.complete(request, signal, spoken)) {
    if (delta.type === 'again' || delta.type === 'fallback') {
      answer.reasoning = null;
      isFirst = true;
      if (delta.type === 'fallback') yield delta;
    } else if (delta.type === 'ignored') {
      yield delta;
    } else if (delta.type === 'reasoning') {
      addReasoning(answer, delta);
      if (delta.text === '') continue;
      const text = isFirst && tally.hasReasoned ? `\n\n${delta.text}` : delta.text;
      isFirst = false;
      tally.hasReasoned = true;
      yield { type: 'reasoning', text };
    } else if (delta.type === 'text') {
      const text = unwrapped(delta.text);
      addText(answer, delta);
      if (text !== '') yield { ...delta, text };
    } else if (delta.type === 'toolCall') {
      addToCall(calls, delta, tally);
    } else {
      answer.reason = delta.reason;
    }
  }
  const left = fence?.rest() ?? '';
  answer.text += left;
  if (left !== '' && !isHeld) yield { type: 'text', text: left };
  answer.calls = identified(calls, tally);
  return answer;
}

/** The calls that have a name, each with an id. */
function identified(
  calls: ReadonlyMap<number, ToolCall>,
  { isClients, nextClientId, used }: Tally,
) {
  const named = [...calls.values()].filter(({ name }) => name !== '');
  for (const call of named) {
    const id = ownId(call, used);
    if (isClients(call.name)) call.vendorId = id;
    call.id = isClients(call.name) ? nextClientId() : id;
  }
  return named;
}

function addText(answer: Answer, { logprobs, isRefusal }: Delta<'text'>): void {
  answer.isRefusal ||= isRefusal === true;
  if (logprobs) answer.logprobs = [...answer.logprobs, ...logprobs];
}

type Delta<T> = Extract<AskDelta, { type: T }>;

function addReasoning(answer: Answer, delta: Delta<'reasoning'>): void {
  const text = answer.reasoning?.text ?? '';
  const field = answer.reasoning?.field ?? delta.field;
  if (field)
    answer.reasoning = { field, text: text + delta.text.slice(0, MAX_REASONING - text.length) };
}

/** Bounds the arguments; arguments cut here fail later as invalid JSON. */
function addToCall(
  calls: Map<number, ToolCall>,
  { index, id, name, arguments: text, extra }: Delta<'toolCall'>,
  { isClients }: Tally,
): void {
  const call = calls.get(index) ?? { id: '', name: '', arguments: '' };
  call.id ||= id ?? '';
  call.name ||= name ?? '';
  const max = isClients(call.name) ? MAX_CLIENT_ARGUMENTS : MAX_ARGUMENTS;
  call.arguments = (call.arguments + (text ?? '')).slice(0, max);
  if (extra) call.extra = extra;
  calls.set(index, call);
}

/** The calls of an answer as a message, with what its vendor wants to have back. */
export function callsMessage(
  asking: Asking,
  { text, calls, reasoning }: Answer,
): Extract<ModelMessage, { role: 'assistant' }> {
  const hasParts = reasoning !== null || calls.some(({ extra }) => extra !== undefined);
  return {
    role: 'assistant',
    content: text,
    toolCalls: calls,
    ...(reasoning === null ? {} : { reasoning }),
    ...(hasParts ? { by: partsKey(asking.model()) } : {}),
  };
}

/** An id that is unique in the turn, as not every vendor gives it one. */
function ownId({ id, name }: ToolCall, used: Set<string>): string {
  const own = id === '' || used.has(id) ? shortId(`${used.size} ${name}`) : id;
  used.add(own);
  return own;
}
