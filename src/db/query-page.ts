import { type SelectQueryBuilder, sql } from 'kysely';

import { offset, type Page, type Paged, paged } from '../core/input/page.ts';

/** Pattern of a "contains" filter; characters special to LIKE match literally. */
export const contains = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** The rows of a query that are on the page. */
export const onPage = <DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  page: Page,
): SelectQueryBuilder<DB, TB, O> => query.limit(page.size).offset(offset(page));

/** One page of a filtered query (the caller orders it, newest first) and the total, in one trip. */
export async function pageOf<DB, TB extends keyof DB, O, T>(
  query: SelectQueryBuilder<DB, TB, O>,
  page: Page,
  answer: (row: O) => T,
): Promise<Paged<T>> {
  const counted = query
    .clearSelect()
    .clearOrderBy()
    .select(sql<string>`count(*)`.as('total'));
  const [[count], rows] = await Promise.all([
    counted.$castTo<{ total: string }>().execute(),
    onPage(query, page).execute(),
  ]);
  return paged(page, Number(count?.total ?? 0), rows.map(answer));
}
