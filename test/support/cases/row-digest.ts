import { sql } from 'kysely';
import { z } from 'zod';

import type { Database } from '../../../src/db/connect.ts';
import { acrossTenants } from '../../../src/db/tenant.ts';

/**
 * What a reading call may leave: the record of it and what it used, commands with their receipts and number, values and states of
 * devices, and what says in order that they changed. What channels know of alarms a loop moves by itself.
 */
const LEFT_BY_READING =
  /^svc_(identity_audit_log|mcp_audit_log|audit_seal|agent_usage|heard_text|point_command_history|command_history|tenant_total|notify_history|notify_ledger|point_value.*|point_latest|entity_state|feed|feed_head|oauth_store)$/;

/** When something was last used, and that the consumers still hear: the latter with no call at all. */
const MOVING = ['last_used_time', 'alive_time'];

const Rows = z.array(z.object({ name: z.string() }));
const Digests = z.array(z.object({ digest: z.string().nullable() }));

/** Table → digest of all its rows, of every tenant but for what moves by itself. */
export function rowDigests(db: Database): Promise<Record<string, string>> {
  return acrossTenants(db, 'doctor', async (q) => {
    const { rows } = await sql`
      select c.relname as name from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and not c.relispartition and c.relname like 'svc_%'
        and has_table_privilege(c.oid, 'select') order by 1`.execute(q);
    const digests: Record<string, string> = {};
    for (const { name } of Rows.parse(rows)) {
      if (LEFT_BY_READING.test(name)) continue;
      const found = await sql`
        select md5(string_agg((to_jsonb(t) - ${MOVING}::text[])::text, E'\n'
          order by (to_jsonb(t) - ${MOVING}::text[])::text)) as digest
        from ${sql.table(name)} t`.execute(q);
      digests[name] = Digests.parse(found.rows)[0]?.digest ?? '';
    }
    return digests;
  });
}
