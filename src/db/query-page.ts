import { type SelectQueryBuilder, sql } from 'kysely';

import { offset, type Page, type Paged, paged } from '../core/input/page.ts';

/** The pattern of a "contains" filter; what is special to LIKE is meant literally. */
export const contains = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** One page of a filtered query (newest first is the caller's order) and the total beside it. */
export async function pageOf<DB, TB extends keyof DB, O, T>(
  query: SelectQueryBuilder<DB, TB, O>,
  page: Page,
  answer: (row: O) => T,
): Promise<Paged<T>> {
  const counted = query
    .clearSelect()
    .clearOrderBy()
    .select(sql<string>`count(*)`.as('total'));
  const [count] = await counted.$castTo<{ total: string }>().execute();
  const rows = await query.limit(page.size).offset(offset(page)).execute();
  return paged(page, Number(count?.total ?? 0), rows.map(answer));
}
