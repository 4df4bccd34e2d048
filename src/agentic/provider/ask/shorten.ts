import type { ModelMessage, ModelRequest } from '../../../../providers/request/provider.ts';
import { CONTEXT_LENGTH, contextNamedIn } from '../../../../providers/request/refusal.ts';
import { AppError } from '../../../kernel/errors.ts';
import { promptTokensIn } from '../../accounting/estimate.ts';
import { refusalOf } from '../reason.ts';

/** A limit of the tokens of a minute shortens a request, and is no context. */
const OF_RATE = /per (second|minute|hour)|\b[rt]p[ms]\b/i;

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
  const beginnings = beginningsIn(messages);
  let left = tokens - sizeOf({ ...request, messages: withPastTurns(messages, 0) });
  let count = 0;
  for (let at = beginnings.length - 2; at >= 0; at -= 1) {
    left -= promptTokensIn(messages.slice(beginnings[at], beginnings[at + 1]), []);
    if (left < 0) break;
    count += 1;
  }
  return count;
}

const hasMedia = ({ messages }: Sized): boolean =>
  messages.some((message) => message.role === 'user' && (message.media?.length ?? 0) > 0);

/** What the refusals of a request as too long have shown of a context. */
export function newContext() {
  let refused: { size: number; named: number | null; isText: boolean } | null = null;
  return {
    isRefused: (): boolean => refused !== null,
    /** Whether an error is such a refusal of `sent`. */
    takes(error: unknown, sent: Sized): boolean {
      if (!(error instanceof AppError) || error.code !== CONTEXT_LENGTH) return false;
      const text = refusalOf(error)?.text ?? '';
      const isText = !hasMedia(sent) && !OF_RATE.test(text);
      refused = { size: sizeOf(sent), named: contextNamedIn(text), isText };
      return true;
    },
    /**
     * The tokens of a context that took `sent` after it refused more; null: nothing was refused, or not for the size of
     * its texts alone. A question alone says little of how much fits beside it.
     */
    tokensOf(sent: Sized): number | null {
      if (refused === null || !refused.isText) return null;
      const { size, named } = refused;
      const taken = sizeOf(sent);
      if (named !== null && named >= taken && named < size) return named;
      return pastTurnsIn(sent.messages) > 0 ? taken : Math.max(taken, Math.floor(size / 2));
    },
  };
}
