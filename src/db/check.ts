import { type RawBuilder, sql } from 'kysely';

import type { Queries } from './connect.ts';

/** One row that breaks a promise of the platform about its data. */
export type Finding = { entity: string; detail: string };

/** A promise about the data and the query that finds the rows breaking it (`npm run svc -- doctor`). */
export type Check = {
  name: string;
  find(at: Date): RawBuilder<Finding>;
  /** The check is skipped where this optional table does not exist. */
  table?: string;
};

export type Examined = { name: string; total: number; first: Finding[] };

const SHOWN = 5;

/** Runs one check; the transaction must look across tenants. */
export async function examine(
  q: Queries,
  { name, find, table }: Check,
  at: Date,
): Promise<Examined> {
  if (table && !(await exists(q, table))) return { name, total: 0, first: [] };
  const { rows } = await sql<Finding & { total: string }>`
    select entity, detail, count(*) over () as total from (${find(at)}) found
    order by entity limit ${SHOWN}`.execute(q);
  const first = rows.map(({ entity, detail }) => ({ entity, detail }));
  return { name, total: Number(rows[0]?.total ?? 0), first };
}

export async function exists(q: Queries, table: string): Promise<boolean> {
  const { rows } = await sql<{ isThere: boolean }>`
    select to_regclass(${table}) is not null as is_there`.execute(q);
  return rows[0]?.isThere ?? false;
}

type Link = {
  table: string;
  column: string;
  to: string;
  /** Only rows of this condition have the link; `c` is the row. */
  when?: string;
  /** SQL expression that identifies a row of a table without an id. */
  key?: string;
  /** The other side belongs to no tenant or to the platform, so tenants are not compared. */
  across?: boolean;
};

/** The other end of a logical link exists, and in the same tenant; the database has no foreign keys. */
export function link({ table, column, to, when = 'true', key = 'c.id', across }: Link): Check[] {
  const from = sql.table(table);
  const target = sql.table(to);
  const end = sql.ref(`c.${column}`);
  const found = sql`${`${table} `} || ${sql.raw(key)} as entity,
    ${`${column} = `} || ${end} as detail`;
  const dangling: Check = {
    name: `${table}.${column} leads to a ${to} that exists`,
    find: () => sql<Finding>`select ${found} from ${from} c
      where ${sql.raw(when)} and not exists (select from ${target} p where p.id = ${end})`,
  };
  const foreign: Check = {
    name: `${table}.${column} leads to a ${to} of the same tenant`,
    find: () => sql<Finding>`select ${found} from ${from} c join ${target} p on p.id = ${end}
      where ${sql.raw(when)} and p.tenant_id <> c.tenant_id`,
  };
  return across ? [dangling] : [dangling, foreign];
}

/** The target of a logical link exists, in the same tenant; the database has no foreign keys. */
export const owned = (tables: readonly string[], key?: string): Check[] =>
  tables.flatMap((table) =>
    link({ table, column: 'tenant_id', to: 'svc_tenant', across: true, ...(key ? { key } : {}) }),
  );
