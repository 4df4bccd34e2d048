import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';

/** A row of svc_heard_text, by its columns. */
export type ReadTextRow = Record<
  'tenant_id' | 'user_id' | 'client_id' | 'digest' | 'tool' | 'field' | 'subject' | 'text',
  string
> & { read_time: Date; expire_time: Date };

export const keyOf = (row: ReadTextRow): string =>
  [row.tenant_id, row.user_id, row.client_id, row.digest].join(' ');

/** As one parameter; in the order of their keys, so that two batches cannot wait for each other. */
export async function insertReadTexts(q: Queries, rows: readonly ReadTextRow[]): Promise<void> {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  const sorted = [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  await sql`insert into svc_heard_text
    select * from jsonb_populate_recordset(null::svc_heard_text, ${JSON.stringify(sorted)}::jsonb)
    on conflict (tenant_id, user_id, client_id, digest)
    do update set read_time = excluded.read_time, expire_time = excluded.expire_time`.execute(q);
}
