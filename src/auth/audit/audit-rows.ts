import { type Selectable, sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import type { Schema } from '../../db/schema.ts';
import type { App } from '../../kernel/app/app.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { formatCsv, UTF8_MARK } from '../../kernel/input/csv.ts';
import { Id } from '../../kernel/input/id.ts';
import { Moment } from '../../kernel/input/moment.ts';

type Log = 'svc_identity_audit_log' | 'svc_mcp_audit_log';

const DAY_MS = 86_400_000;
/** Of a table without `from`, and the most it has. */
const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;
const MAX_ROWS = 500;

/** Rows of one answer (docs/specification/identity.md, Audit): clamped, not refused. */
export const Limit = z.coerce
  .number()
  .int()
  .default(200)
  .transform((limit) => Math.min(Math.max(limit, 1), MAX_ROWS));

/** From `from` (included) to `to` (excluded). */
export const span = { from: Moment.optional(), to: Moment.optional() };

/** What each list of an audit log takes beside its filters. */
export const page = {
  ...span,
  cursor: Id.describe('The id of the last row of the page before').optional(),
  limit: Limit,
};

type Span = { from?: number | undefined; to?: number | undefined };
type Filter = Record<string, string | undefined>;
type Asked = Span & { cursor?: string | undefined; limit: number; filter: Filter };

/**
 * Rows of an audit log of the tenant, newest first, with the values of `filter` in the columns of its names. Throws
 * BadRequest for a cursor that is no row of the log.
 */
export async function auditRows<L extends Log>(
  q: Queries,
  log: L,
  tenantId: string,
  { from, to, cursor, limit, filter }: Asked,
): Promise<Selectable<Schema[L]>[]> {
  const before = sql`(select create_time from ${sql.table(log)} where tenant_id = ${tenantId} and id = ${cursor})`;
  const conditions = [
    sql`tenant_id = ${tenantId}`,
    ...(from === undefined ? [] : [sql`create_time >= ${new Date(from)}`]),
    ...(to === undefined ? [] : [sql`create_time < ${new Date(to)}`]),
    ...(cursor === undefined
      ? []
      : [sql`create_time <= ${before} and (create_time < ${before} or id < ${cursor})`]),
    ...Object.entries(filter).flatMap(([column, wanted]) =>
      wanted === undefined ? [] : [sql`${sql.ref(column)} = ${wanted}`],
    ),
  ];
  const [known, { rows }] = await Promise.all([
    cursor === undefined ? null : sql`select ${before} as at`.execute(q),
    sql<Selectable<Schema[L]>>`select * from ${sql.table(log)}
      where ${sql.join(conditions, sql` and `)}
      order by create_time desc, id desc limit ${limit}`.execute(q),
  ]);
  if (known !== null && !known.rows.some((row) => isPlaced(row)))
    throw new BadRequest('cursor must be the id of the last row of the page before');
  return rows;
}

const isPlaced = (row: unknown): boolean =>
  typeof row === 'object' && row !== null && 'at' in row && row.at !== null;

type Page = Span & { cursor?: string; limit: number };

/**
 * What `read` answers, page by page, as a table (CSV) with `titles`; of the last 30 days unless `from` is given.
 * Throws BadRequest for more than 366 days.
 */
export function auditTable<T extends { id: string }>(
  app: App,
  { from, to = app.clock.now() + 1 }: Span,
  titles: readonly (keyof T & string)[],
  read: (page: Page) => Promise<T[]>,
): AsyncIterable<string> {
  const since = from ?? Math.max(0, to - DEFAULT_DAYS * DAY_MS);
  if (to - since > MAX_DAYS * DAY_MS) throw new BadRequest(`A table has at most ${MAX_DAYS} days`);
  return pages(titles, (cursor) =>
    read({ from: since, to, limit: MAX_ROWS, ...(cursor !== undefined && { cursor }) }),
  );
}

async function* pages<T extends { id: string }>(
  titles: readonly (keyof T & string)[],
  read: (cursor: string | undefined) => Promise<T[]>,
): AsyncGenerator<string> {
  yield UTF8_MARK + formatCsv([titles]);
  for (let cursor: string | undefined; ;) {
    const rows = await read(cursor);
    yield formatCsv(rows.map((row) => titles.map((title) => cellOf(row[title]))));
    if (rows.length < MAX_ROWS) return;
    cursor = rows.at(-1)?.id;
  }
}

const cellOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
