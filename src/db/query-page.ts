import { type SelectQueryBuilder, sql } from 'kysely';

import { offset, type Page, type Paged, paged } from '../core/input/page.ts';

/** Pattern of a "contains" filter; characters special to LIKE match literally. */
export const contains = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** How many rows a query finds. */
export async function totalOf<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
): Promise<number> {
  const counted = query
    .clearSelect()
    .clearOrderBy()
    .select(sql<string>`count(*)`.as('total'));
  const [count] = await counted.$castTo<{ total: string }>().execute();
  return Number(count?.total ?? 0);
}

/** The rows of a query that are on the page. */
export const onPage = <DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  page: Page,
): SelectQueryBuilder<DB, TB, O> => query.limit(page.size).offset(offset(page));

/**
 * One page of a filtered query (the caller orders it, newest first) and the total, in one trip. `counted` is the
 * total if there is a cheaper one than counting the rows (tenant-total.ts).
 */
export async function pageOf<DB, TB extends keyof DB, O, T>(
  query: SelectQueryBuilder<DB, TB, O>,
  page: Page,
  answer: (row: O) => T,
  counted = totalOf(query),
): Promise<Paged<T>> {
  const [total, rows] = await Promise.all([counted, onPage(query, page).execute()]);
  return paged(page, total, rows.map(answer));
}
