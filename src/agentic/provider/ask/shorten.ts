import type { ModelMessage } from '../../../../providers/request/provider.ts';

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
