import type { ToolCall } from '../../../../providers/request/provider.ts';
import { usageOf } from '../../accounting/usage.ts';
import { flatAnnotationOf } from '../../session/citation.ts';
import type { Logprobs, TurnEnd, TurnHead } from '../loop/event.ts';
import type { Echo } from '../request/response-request.ts';
import type { EventLog } from './event.ts';
import {
  callItem,
  type ChatResponse,
  messageItem,
  type MessagePart,
  type OutputItem,
  reasoningItem,
  type Thought,
} from './response.ts';

type Ending = { status: ChatResponse['status']; end?: TurnEnd; error?: ChatResponse['error'] };

const hexOf = ({ id }: TurnHead): string => id.slice(id.indexOf('-') + 1);
const responseId = (head: TurnHead): string => `resp_${hexOf(head)}`;
/** The turn of a response. */
export const turnIdOf = (id: string): string => id.replace(/^resp_/, 'chatcmpl-');
export const messageId = (head: TurnHead): string => `msg_${hexOf(head)}`;
const reasoningId = (head: TurnHead, at: number): string => `rs_${hexOf(head)}_${at}`;
/** The id of the answer of a stored turn; null for an answer of none. */
export const messageIdOf = (turnId: string): string | null =>
  turnId.startsWith('chatcmpl-') ? turnId.replace('chatcmpl-', 'msg_') : null;
/** The response that a message is of. */
export const responseOf = (item: string): string => item.replace(/^msg_/, 'resp_');

/** What a response holds so far, beside what `log` records. */
export function responseState(head: TurnHead, echo: Echo, log: EventLog) {
  const logprobs: Logprobs[number][] = [];
  const state = { text: '', refusal: '', calls: [] as readonly ToolCall[] };
  /** In the order in which they began; null: the message. */
  const begun: (Thought | null)[] = [];
  let thought: Thought | null = null;
  const message = () => {
    const { text, refusal } = state;
    const annotations = log.citations.map(flatAnnotationOf);
    const said: MessagePart = { type: 'output_text', text, annotations, logprobs: [...logprobs] };
    const refused: MessagePart = { type: 'refusal', refusal };
    const content = refusal === '' ? [said] : text === '' ? [refused] : [said, refused];
    return messageItem(messageId(head), content, 'completed');
  };

  function output(): OutputItem[] {
    const calls = state.calls.map((call) => callItem(call, 'completed'));
    const isBlank = !begun.includes(null) && calls.length === 0;
    const items = begun.map((one) => (one ? reasoningItem(one.id, one.text) : message()));
    return [...items, ...(isBlank ? [message()] : []), ...calls];
  }

  function snapshot({ status, end, error = null }: Ending): ChatResponse {
    const conversation = log.conversation();
    return {
      id: responseId(head),
      object: 'response',
      created_at: head.created,
      status,
      model: head.model,
      output: status === 'in_progress' ? [] : output(),
      error,
      incomplete_details: end ? incompleteOf(end) : null,
      instructions: echo.instructions ?? null,
      previous_response_id: echo.previousId ?? null,
      conversation: conversation === null ? null : { id: conversation },
      max_output_tokens: echo.maxTokens,
      temperature: echo.temperature,
      top_p: echo.topP,
      parallel_tool_calls: echo.parallel,
      tool_choice: echo.tool_choice ?? 'auto',
      tools: echo.tools ?? [],
      text: echo.text ?? { format: { type: 'text' } },
      reasoning: echo.reasoning ?? { effort: null, summary: null },
      metadata: echo.metadata,
      store: echo.store,
      background: echo.background,
      truncation: 'disabled',
      usage: end ? tokensOf(end) : null,
      ...(status === 'in_progress' ? {} : { x_svc: log.extension() }),
    };
  }

  return {
    state,
    /** How many items of the output have begun, calls not counted. */
    begun: (): number => begun.length,
    add(text: string, probabilities: Logprobs = []): void {
      if (text === '' && probabilities.length === 0) return;
      if (!begun.includes(null)) begun.push(null);
      thought = null;
      state.text += text;
      logprobs.push(...probabilities);
    },
    refuse(text: string): void {
      if (!begun.includes(null)) begun.push(null);
      thought = null;
      state.refusal += text;
    },
    /** Adds to the thought that goes on, or begins one. */
    think(text: string): Thought {
      if (!thought) begun.push((thought = { id: reasoningId(head, begun.length), text: '' }));
      thought.text += text;
      return thought;
    },
    /** The message as it ends. */
    message,
    /** The response in this state; with its output once it has ended. */
    snapshot,
  };
}

export const statusOf = (end: TurnEnd): ChatResponse['status'] =>
  incompleteOf(end) ? 'incomplete' : 'completed';

function incompleteOf({ reason }: TurnEnd): ChatResponse['incomplete_details'] {
  if (reason === 'length') return { reason: 'max_output_tokens' };
  return reason === 'content_filter' ? { reason: 'content_filter' } : null;
}

function tokensOf({ steps }: TurnEnd) {
  const { prompt_tokens, completion_tokens, total_tokens, ...details } = usageOf(steps);
  return {
    input_tokens: prompt_tokens,
    input_tokens_details: { cached_tokens: details.prompt_tokens_details?.cached_tokens ?? 0 },
    output_tokens: completion_tokens,
    output_tokens_details: {
      reasoning_tokens: details.completion_tokens_details?.reasoning_tokens ?? 0,
    },
    total_tokens,
  };
}
