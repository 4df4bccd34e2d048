import { type RawBuilder, type Selectable, sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { Schema } from '../../db/schema.ts';
import { Conflict } from '../errors.ts';
import { type NounTable, nouns } from './noun.ts';
import { lockedRow } from './row.ts';

/** Rows that keep another one from being deleted: the referring column, and their name in messages. */
export type Use = { table: NounTable; column: string; what: string; name?: RawBuilder<string> };

/**
 * Locks a row before its deletion and answers it. The references are logical, without foreign keys
 * (docs/specification/alarms.md, Alarm rules 1). Throws NotFound, and Conflict with the reason while one of
 * `uses` refers to the row.
 */
export async function lockUnusedRow<T extends NounTable>(
  q: Queries,
  table: T,
  tenantId: string,
  id: string,
  uses: readonly Use[],
): Promise<Selectable<Schema[T]>> {
  const row = await lockedRow(q, table, tenantId, id);
  for (const { table: holder, column, what, name } of uses) {
    const { rows } = await sql<{ name: string }>`
      select ${name ?? sql`''`} as name from ${sql.table(holder)}
      where tenant_id = ${tenantId} and ${sql.ref(column)} = ${id} order by id limit 1`.execute(q);
    const [user] = rows;
    if (!user) continue;
    const named = name ? `${what} "${user.name}"` : what;
    throw new Conflict(`The ${nouns[table].toLowerCase()} is in use: it still has ${named}`);
  }
  return row;
}
