import { z } from 'zod';

import type { Paged } from '../../src/core/input/page.ts';
import { Text } from '../../src/core/input/text.ts';

/** Input fields of every search tool. */
export const paging = {
  cursor: z
    .string()
    .regex(/^\d{1,2}\.[1-9]\d{0,5}$/, 'must be the nextCursor of an earlier answer')
    .optional()
    .describe('nextCursor of the previous page'),
  limit: z.int().min(1).max(20).default(10).describe('Records per page'),
};

/** A filter by part of a `what`. */
export const partOf = (what: 'name' | 'code') =>
  Text(64).optional().describe(`Part of the ${what}`);

/** Output of every search tool. */
export const pageOf = <R extends z.ZodObject>(record: R) =>
  z.object({
    total: z.int(),
    returned: z.int(),
    nextCursor: z.string().nullable(),
    records: z.array(record),
  });

/** A cursor holds the page size of its search, so that another `limit` cannot skip records. */
export function pageRequest({ cursor, limit }: { cursor?: string | undefined; limit: number }) {
  const [size = limit, current = 1] = cursor?.split('.').map(Number) ?? [];
  return { current, size: Math.min(Math.max(size, 1), 20) };
}

/** The page in the shape of a tool result; `show` makes the short record. */
export const shownPage = <T, R>(page: Paged<T>, show: (row: T) => R) => ({
  total: page.total,
  returned: page.records.length,
  nextCursor: page.current < page.pages ? `${page.size}.${page.current + 1}` : null,
  records: page.records.map(show),
});
