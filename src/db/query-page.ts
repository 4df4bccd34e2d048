import { type SelectQueryBuilder, sql } from 'kysely';

import { offset, type Page, type Paged, paged } from '../kernel/input/page.ts';

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
 * As `onPage`, for rows of one table that has an index in the order of the list with the id at its end: what lies
 * before the page is passed over in the index alone.
 */
export const onIndexedPage = <DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  page: Page,
): SelectQueryBuilder<DB, TB, O> => {
  if (offset(page) === 0) return onPage(query, page);
  const ids = onPage(query.clearSelect().select(sql`id`.as('id')), page);
  // As an array: for `id in (…)` a plan for any limit expects thousands of ids and reads the whole tenant.
  return query.where(sql<boolean>`id = any(array${ids})`);
};

type Cheaper<DB, TB extends keyof DB, O> = {
  /** Instead of counting the rows (tenant-total.ts). */
  total?: Promise<number>;
  rows?: (query: SelectQueryBuilder<DB, TB, O>, page: Page) => SelectQueryBuilder<DB, TB, O>;
};

/**
 * One page of a filtered query (the caller orders it, newest first) and the total, in one trip; `cheaper` ways to
 * either, where there are some.
 */
export async function pageOf<DB, TB extends keyof DB, O, T>(
  query: SelectQueryBuilder<DB, TB, O>,
  page: Page,
  answer: (row: O) => T,
  cheaper: Cheaper<DB, TB, O> = {},
): Promise<Paged<T>> {
  const { total: counted = totalOf(query), rows: pick = onPage } = cheaper;
  const [total, rows] = await Promise.all([counted, pick(query, page).execute()]);
  return paged(page, total, rows.map(answer));
}
