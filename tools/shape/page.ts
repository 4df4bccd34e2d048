import { z } from 'zod';

import { BadRequest } from '../../src/kernel/errors.ts';
import type { Page, Paged } from '../../src/kernel/input/page.ts';
import { Text } from '../../src/kernel/input/text.ts';
import { cutTo, maxTokens } from './budget.ts';

/** Of the fields around the records. */
const FRAME_TOKENS = 20;
const WRONG_CURSOR = 'must be the nextCursor of an earlier answer to the same search';

/** Input fields of every search tool. */
export const paging = {
  cursor: z
    .string()
    .refine((text) => /^\d{1,3}\.[1-9]\d{0,5}(?:\.\d{1,2})?$/.test(text), WRONG_CURSOR)
    .optional()
    .describe('nextCursor'),
  limit: z
    .int()
    .refine((limit) => limit >= 1 && limit <= 100, 'must be 1 to 100')
    .default(20)
    .describe('1 to 100'),
  ...maxTokens,
};
type Paging = { cursor?: string | undefined; limit: number; maxTokens: number };

/** A filter by part of a `what`. */
export const partOf = (what: 'name' | 'code') =>
  Text(64).optional().describe(`Part of the ${what}`);

/** Output of every search tool; the list of tools leaves `returned` out, which the records say. */
export const pageOf = <R extends z.ZodObject>(record: R) =>
  z.object({
    total: z.int(),
    returned: z.int().optional(),
    nextCursor: z.string().nullable(),
    records: z.array(record),
  });

/**
 * As many records of a page as fit into `maxTokens`, at least one, each shaped by `show` and `record`. A cursor holds
 * the page size of its search, the page, and how many records of it were shown. Throws BadRequest for a cursor
 * behind the end.
 */
export async function visiblePage<T, R extends z.ZodObject>(
  asked: Paging,
  record: R,
  read: (page: Page) => Promise<Paged<T>>,
  show: (row: T) => z.input<R>,
) {
  const [size = asked.limit, current = 1, skipped = 0] = asked.cursor?.split('.').map(Number) ?? [];
  const page = await read({ current, size: Math.min(Math.max(size, 1), 100) });
  const rest = page.records.slice(skipped);
  if (asked.cursor !== undefined && rest.length === 0)
    throw new BadRequest(`cursor: ${WRONG_CURSOR}`);
  const shown = rest.map((row) => record.parse(show(row)));
  const { rows: records, left } = cutTo(shown, asked.maxTokens, FRAME_TOKENS);
  const next = () => {
    if (left > 0) return `${page.size}.${current}.${skipped + records.length}`;
    return current < page.pages ? `${page.size}.${current + 1}` : null;
  };
  return { total: page.total, returned: records.length, nextCursor: next(), records };
}
