import { type RawBuilder, type Selectable, sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { Schema } from '../../db/schema.ts';
import { Conflict, NotFound } from '../errors.ts';
import { type NounTable, nouns } from './noun.ts';

/** A row of a tenant. Throws NotFound, also for another tenant's (docs/specification/tenant-isolation.md 2). */
export const rowOf = <T extends NounTable>(q: Queries, table: T, tenantId: string, id: string) =>
  select<Selectable<Schema[T]>>(q, table, tenantId, id, sql``);

/** The same, locked for a change until this transaction ends. */
export const lockedRow = <T extends NounTable>(
  q: Queries,
  table: T,
  tenantId: string,
  id: string,
) => select<Selectable<Schema[T]>>(q, table, tenantId, id, sql`for update`);

/** The same, kept from being changed or deleted until this transaction ends. */
export const hold = <T extends NounTable>(q: Queries, table: T, tenantId: string, id: string) =>
  select<Selectable<Schema[T]>>(q, table, tenantId, id, sql`for share`);

/**
 * As `lockedRow`; of a versioned table (optimistic locking), throws Conflict when `version` is given and not the
 * current one.
 */
export async function lockedVersion<T extends NounTable>(
  q: Queries,
  table: T,
  tenantId: string,
  { id, version }: { id: string; version?: number | undefined },
): Promise<Selectable<Schema[T]>> {
  type Found = Selectable<Schema[T]> & { version?: number };
  const row = await select<Found>(q, table, tenantId, id, sql`for update`);
  if (version !== undefined && version !== row.version)
    throw new Conflict('Changed by somebody else since', { version: row.version });
  return row;
}

/** Ids that are missing or another tenant's are dropped (docs/specification/tenant-isolation.md 3). */
export async function rowsOf<T extends NounTable>(
  q: Queries,
  table: T,
  tenantId: string,
  ids: readonly string[],
): Promise<Selectable<Schema[T]>[]> {
  const { rows } = await sql<Selectable<Schema[T]>>`
    select * from ${sql.table(table)} where tenant_id = ${tenantId} and id = any(${ids}::bigint[])`.execute(
    q,
  );
  return rows;
}

/** The row, if it exists. */
export async function findRow<T extends NounTable>(
  q: Queries,
  table: T,
  tenantId: string,
  id: string,
): Promise<Selectable<Schema[T]> | undefined> {
  const [row] = await rowsOf(q, table, tenantId, [id]);
  return row;
}

async function select<R>(
  q: Queries,
  table: NounTable,
  tenantId: string,
  id: string,
  lock: RawBuilder<unknown>,
): Promise<R> {
  const { rows } = await sql<R>`
    select * from ${sql.table(table)} where tenant_id = ${tenantId} and id = ${id} ${lock}`.execute(
    q,
  );
  if (!rows[0]) throw new NotFound(nouns[table]);
  return rows[0];
}
