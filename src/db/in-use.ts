import { type RawBuilder, sql } from 'kysely';

import { Conflict, NotFound } from '../core/errors.ts';
import type { Queries } from './connect.ts';

/** A row of a tenant; `noun` is its name in messages. */
export type Row = { table: string; noun: string; tenantId: string; id: string };

/** Rows that keep another one from being deleted: the referring column, and their name in messages. */
export type Use = { table: string; column: string; what: string; name?: RawBuilder<string> };

/** Keeps a row from being deleted until this transaction ends; throws NotFound. */
export const holdRow = (q: Queries, row: Row): Promise<void> => lock(q, row, sql`for share`);

/** Locks a row before its deletion; throws NotFound, and Conflict with the reason while it is used. */
export async function lockUnusedRow(q: Queries, row: Row, uses: readonly Use[]): Promise<void> {
  await lock(q, row, sql`for update`);
  for (const { table, column, what, name } of uses) {
    const { rows } = await sql<{ name: string }>`
      select ${name ?? sql`''`} as name from ${sql.table(table)}
      where tenant_id = ${row.tenantId} and ${sql.ref(column)} = ${row.id} order by id limit 1`.execute(
      q,
    );
    const [user] = rows;
    if (!user) continue;
    const who = name ? `${what} "${user.name}"` : what;
    throw new Conflict(`The ${row.noun.toLowerCase()} is in use: it still has ${who}`);
  }
}

async function lock(q: Queries, row: Row, how: RawBuilder<unknown>): Promise<void> {
  const { rows } = await sql`select id from ${sql.table(row.table)}
    where tenant_id = ${row.tenantId} and id = ${row.id} ${how}`.execute(q);
  if (rows.length === 0) throw new NotFound(row.noun);
}
