import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';

export type ChangedWrite = { tenantId: string; actionId: string };

/**
 * Takes the writes of actions with new evidence, over all tenants. The caller must store it with the actions
 * in the same transaction, because the mark is reset here.
 */
export async function takeChangedWrites(q: Queries, limit: number): Promise<ChangedWrite[]> {
  const { rows } = await sql<ChangedWrite>`
    update svc_point_command_history set seen_news = false where id in (
      select id from svc_point_command_history where seen_news
      order by id limit ${limit} for update skip locked)
    returning tenant_id, action_id`.execute(q);
  return rows;
}
