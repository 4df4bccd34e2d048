import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import type { Schema } from '../../db/schema.ts';
import { created, touched } from '../../db/stamp.ts';
import type { App, Caller } from '../app/app.ts';
import type { NounTable } from './noun.ts';
import { lockedVersion } from './row.ts';

/** Optimistic locking: an update made from another than the current version fails with 409. */
export const Version = z.number().int().min(1).max(2_147_483_647).optional();

type At = Pick<App, 'clock'>;
type By = Pick<Caller, 'tenantId' | 'principalId' | 'name'>;

/** Adds a row to the caller's tenant, with creator and time; answers its id. */
export async function addRow<T extends NounTable>(
  q: Queries,
  at: At,
  by: By,
  table: T,
  columns: Omit<Insertable<Schema[T]>, 'tenantId'>,
): Promise<string> {
  const all = Object.entries({ ...columns, tenantId: by.tenantId, ...created(at, by) });
  const given = all.filter(([, value]) => value !== undefined);
  const { rows } = await sql<{ id: string }>`
    insert into ${sql.table(table)} (${sql.join(given.map(([name]) => sql.ref(name)))})
    values (${sql.join(given.map(([, value]) => value))}) returning id`.execute(q);
  if (!rows[0]) throw new Error(`no row added to ${table}`);
  return rows[0].id;
}

/**
 * Changes columns of a row, with operator and time, and answers what it was before; a column that is undefined
 * stays as it is. Throws like `lockedVersion`; the change makes a version.
 */
export async function changeRow<T extends NounTable>(
  q: Queries,
  at: At,
  by: By,
  table: T,
  { id, version, ...columns }: Updateable<Schema[T]> & { id: string; version?: number | undefined },
): Promise<Selectable<Schema[T]>> {
  const before = await lockedVersion(q, table, by.tenantId, { id, version });
  const given = Object.entries({ ...columns, ...touched(at, by) });
  const assigned = given
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => sql`${sql.ref(name)} = ${value}`);
  if ('version' in before) assigned.push(sql`version = version + 1`);
  await sql`
    update ${sql.table(table)} set ${sql.join(assigned)}
    where tenant_id = ${by.tenantId} and id = ${id}`.execute(q);
  return before;
}

/** Deletes a row of the tenant, if it exists. */
export async function deleteRow(
  q: Queries,
  table: NounTable,
  tenantId: string,
  id: string,
): Promise<void> {
  await sql`
    delete from ${sql.table(table)} where tenant_id = ${tenantId} and id = ${id}`.execute(q);
}
