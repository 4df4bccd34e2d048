import type { ToolCall } from '../../../../providers/request/provider.ts';
import type { ActionView } from '../../action/view.ts';
import type { Citation } from '../../session/citation.ts';
import type { Facts } from '../../session/facts.ts';
import type { Logprobs, ToolEvent, TurnEnd } from '../loop/event.ts';
import type { OpenAiError } from './openai-error.ts';

/** Output of a turn: one JSON object or a stream of chunks. */
export type ChatSink = {
  text(text: string, logprobs?: Logprobs): Promise<void> | undefined;
  /** Why the model does not answer in the form asked for. */
  refuse?(text: string): Promise<void>;
  /** What the model reasons before it answers, where its vendor sends it. */
  reasoning?(text: string): Promise<void>;
  /** Calls of the client's tools; the end follows. */
  calls(calls: readonly ToolCall[]): Promise<void>;
  /** The conversation is stored now. */
  stored(): void;
  tool(event: ToolEvent): Promise<void>;
  pending(card: ActionView): Promise<void>;
  /** Of an action that is decided or has ended. */
  decided?(action: ActionView): Promise<void>;
  cite?(citations: readonly Citation[]): Promise<void>;
  /** What the platform knows at the end; `line` is the end of the text, '' where it is said beside the text alone. */
  facts?(facts: Facts, line: string): Promise<void>;
  /** Reports an option of the request that is ignored. */
  warn(code: string): Promise<void>;
  end(event: TurnEnd): Promise<void>;
  /** Writes the error into the answer; false when no answer has been sent. */
  fail(body: OpenAiError['body']): boolean;
  /** Fields for an error response outside of the answer: what the platform did and knows before the error. */
  extraFields(): Record<string, unknown>;
};
