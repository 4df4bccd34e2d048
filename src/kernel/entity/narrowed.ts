import { type SelectQueryBuilder, sql } from 'kysely';

import { contains } from '../../db/query-page.ts';

type Names<DB, TB extends keyof DB, Given> = readonly Extract<
  keyof Given,
  { [T in TB]: keyof DB[T] }[TB]
>[];

/**
 * Narrows a query by the fields that a caller gave: `like` for text that a column contains, whatever its
 * case; `equal` for values. Absent fields and empty text leave the query as it is.
 */
export function narrowed<DB, TB extends keyof DB, O, Given extends object>(
  query: SelectQueryBuilder<DB, TB, O>,
  given: Given,
  { like = [], equal = [] }: { like?: Names<DB, TB, Given>; equal?: Names<DB, TB, Given> },
): SelectQueryBuilder<DB, TB, O> {
  let result = query;
  for (const name of like) {
    const text = given[name];
    if (typeof text === 'string' && text !== '')
      result = result.where(sql<boolean>`${sql.ref(String(name))} ilike ${contains(text)}`);
  }
  for (const name of equal) {
    const value = given[name];
    if (value !== undefined && value !== '')
      result = result.where(sql<boolean>`${sql.ref(String(name))} = ${value}`);
  }
  return result;
}
