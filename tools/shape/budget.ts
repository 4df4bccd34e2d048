import { z } from 'zod';

import { tokensIn } from './tokens.ts';

const DEFAULT_TOKENS = 1_500;
/** Of the fields around the rows. */
const FRAME_TOKENS = 60;

/** Input field of a tool whose answer a caller may make longer or shorter. */
export const maxTokens = {
  maxTokens: z
    .int()
    .refine((tokens) => tokens >= 100 && tokens <= 6_000, 'must be 100 to 6000')
    .default(DEFAULT_TOKENS)
    .describe('100 to 6000'),
};

/**
 * As many of the rows as an answer may hold beside `frame` tokens, at least one, and how many are left for the next.
 */
export function cutTo<R>(
  rows: readonly R[],
  tokens: number,
  frame = FRAME_TOKENS,
): { rows: R[]; left: number } {
  let used = frame;
  const fitting = rows.findIndex((row, index) => {
    used += tokensIn(JSON.stringify(row)) + 1;
    return used > tokens && index > 0;
  });
  const count = fitting < 0 ? rows.length : fitting;
  return { rows: rows.slice(0, count), left: rows.length - count };
}
