import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { z } from 'zod';

/** The orders of a list: by time of creation and by these columns. */
export const orders = (...names: string[]) =>
  z
    .enum(['-createTime', 'createTime', ...names.flatMap((name) => [name, `-${name}`])])
    .describe('By time of creation or by name; with “-” from the last to the first');

/**
 * Rows in the order that was asked for (`orders`), newest first where none was; equal ones by their id. Names are ordered
 * as people expect it, but columns of which `others` says by what.
 */
export function inOrder<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  orderBy: string = '-createTime',
  others: Readonly<Record<string, RawBuilder<unknown>>> = {},
): SelectQueryBuilder<DB, TB, O> {
  const direction = orderBy.startsWith('-') ? 'desc' : 'asc';
  const name = orderBy.replace(/^-/, '');
  const column = sql.ref(name);
  const by = others[name] ?? (name === 'createTime' ? column : sql`svc_name_order(${column})`);
  return query.orderBy(by, direction).orderBy(sql.ref('id'), direction);
}
