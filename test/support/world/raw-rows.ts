import { sql } from 'kysely';

import { acrossTenants } from '../../../src/db/tenant.ts';
import type { World } from './app.ts';

export type RawRow = Record<string, string | number | Date>;

/** Writes a row past every check of ours, so that only the database may refuse it. */
export const insertRaw = (world: World, table: string, values: RawRow): Promise<unknown> =>
  acrossTenants(world.app.db, 'doctor', (q) => {
    const columns = Object.keys(values).map((name) => sql.ref(name));
    return sql`insert into ${sql.table(table)} (${sql.join(columns)})
      values (${sql.join(Object.values(values))})`.execute(q);
  });

export const columnsOf = (world: World, table: string): Promise<string[]> =>
  acrossTenants(world.app.db, 'doctor', async (q) => {
    const { rows } = await sql<{ columnName: string }>`
      select column_name from information_schema.columns where table_name = ${table}`.execute(q);
    return rows.map(({ columnName }) => columnName);
  });
