import { sql } from 'kysely';

import type { Database } from '../../../src/db/connect.ts';
import { APP_ROLE } from '../../../src/db/server-session.ts';

/** Runs a statement as the owner of the database, which alone sees what was applied. */
const asOwner = (db: Database, statement: string): Promise<{ name: string }[]> =>
  db.queries.connection().execute(async (q) => {
    await sql`set role none`.execute(q);
    const { rows } = await sql.raw<{ name: string }>(statement).execute(q);
    await sql`set role ${sql.id(APP_ROLE)}`.execute(q);
    return rows;
  });

/** The names of the applied migrations, in their order. */
export const recordedMigrations = async (db: Database): Promise<string[]> =>
  (await asOwner(db, 'select name from svc_migration order by name')).map(({ name }) => name);

/** Leaves the schema as it is, with other names of applied migrations, as a version before the baseline wrote them. */
export async function recordOnly(db: Database, names: readonly string[]): Promise<void> {
  await asOwner(db, 'delete from svc_migration');
  for (const name of names)
    await asOwner(db, `insert into svc_migration (name) values ('${name}')`);
}
