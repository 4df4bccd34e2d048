import type { ModelMessage, ModelRequest } from '../../../../providers/request/provider.ts';
import { CONTEXT_LENGTH, contextNamedIn } from '../../../../providers/request/refusal.ts';
import { AppError } from '../../../kernel/errors.ts';
import { promptTokensIn } from '../../accounting/estimate.ts';
import { refusalOf } from '../reason.ts';

/** How many turns there are before the last question. */
export const pastTurnsIn = (messages: readonly ModelMessage[]): number =>
  Math.max(0, beginningsIn(messages).length - 1);

/** The messages with the last `count` of the turns before the question; system messages stay. */
export function withPastTurns(
  messages: readonly ModelMessage[],
  count: number,
): readonly ModelMessage[] {
  const beginnings = beginningsIn(messages);
  const first = beginnings[0];
  const from = beginnings[Math.max(0, beginnings.length - 1 - count)];
  if (first === undefined || from === undefined || from === first) return messages;
  return [...messages.slice(0, first), ...messages.slice(from)];
}

/** A turn begins with its first user message; files may be another one before the question. */
const beginningsIn = (messages: readonly ModelMessage[]): number[] =>
  messages.flatMap(({ role }, at) =>
    role === 'user' && messages[at - 1]?.role !== 'user' ? [at] : [],
  );

type Sized = Pick<ModelRequest, 'messages' | 'tools' | 'maxTokens'>;

/** About how many tokens a request and its answer have. */
const sizeOf = ({ messages, tools, maxTokens = 0 }: Sized): number =>
  promptTokensIn(messages, tools) + maxTokens;

/** How many past turns a context of so many tokens holds beside the question; null: all. */
export function pastTurnsWithin(tokens: number, request: Sized): number | null {
  if (sizeOf(request) <= tokens) return null;
  const { messages } = request;
  let count = pastTurnsIn(messages);
  const isTooLong = (): boolean =>
    sizeOf({ ...request, messages: withPastTurns(messages, count) }) > tokens;
  while (count > 0 && isTooLong()) count -= 1;
  return count;
}

/** What the refusals of a request as too long have shown of a context. */
export function newContext() {
  let refused: { size: number; named: number | null } | null = null;
  return {
    isRefused: (): boolean => refused !== null,
    /** Whether an error is such a refusal of `sent`. */
    takes(error: unknown, sent: Sized): boolean {
      if (!(error instanceof AppError) || error.code !== CONTEXT_LENGTH) return false;
      refused = { size: sizeOf(sent), named: contextNamedIn(refusalOf(error)?.text ?? '') };
      return true;
    },
    /**
     * The tokens of a context that took `sent` after it refused more; null: nothing was refused. A question alone says
     * little of how much fits beside it.
     */
    tokensOf(sent: Sized): number | null {
      if (refused === null) return null;
      const { size, named } = refused;
      const taken = sizeOf(sent);
      if (named !== null && named >= taken && named < size) return named;
      return pastTurnsIn(sent.messages) > 0 ? taken : Math.max(taken, Math.floor(size / 2));
    },
  };
}
