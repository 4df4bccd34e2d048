import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { acrossTenantsWithin } from '../../db/tenant.ts';
import { Conflict } from '../../kernel/errors.ts';

/** A tenant with rows in these tables cannot be deleted; the drivers' own rows do not count. */
const IN_USE = [
  ['svc_device', 'devices'],
  ['svc_profile', 'profiles'],
  ['svc_service_account', 'service accounts'],
  ['svc_oauth_client', 'OAuth clients'],
] as const;
/** Logs stay readable for the platform, and no version of a tenant comes twice. */
const KEPT = [
  'svc_identity_audit_log',
  'svc_mcp_audit_log',
  'svc_change_log',
  'svc_audit_seal',
  'svc_tenant_version',
];

/**
 * Deletes a tenant and every row with its id except the logs, in the caller's transaction. Throws Conflict
 * (409) while it has devices, profiles, accounts, OAuth clients, or members outside the `platform` tenant.
 */
export async function removeTenant(q: Queries, tenantId: string, platform: string): Promise<void> {
  await acrossTenantsWithin(q, 'account', async () => {
    await q.selectFrom('svc_tenant').select('id').where('id', '=', tenantId).forUpdate().execute();
    const member = await q
      .selectFrom('svc_tenant_membership')
      .select('id')
      .where('tenantId', '=', tenantId)
      .where('principalType', '=', 'USER')
      .where('principalId', 'not in', (sub) =>
        sub
          .selectFrom('svc_tenant_membership as operator')
          .select('operator.principalId')
          .where('operator.tenantId', '=', platform),
      )
      .executeTakeFirst();
    if (member) throw new Conflict('The tenant still has members');
    for (const [table, what] of IN_USE) {
      const row = await q
        .selectFrom(table)
        .select('id')
        .where('tenantId', '=', tenantId)
        .limit(1)
        .executeTakeFirst();
      if (row) throw new Conflict(`The tenant still has ${what}`);
    }
    await q
      .deleteFrom('svc_role_resource_bind')
      .where('roleId', 'in', (sub) =>
        sub.selectFrom('svc_role').select('id').where('tenantId', '=', tenantId),
      )
      .execute();
    // Read from the database, so that tables added later are included. The totals are last: each of the
    // deletions before counts in them.
    const { rows } = await sql<{ name: string }>`
      select c.relname as name from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and not c.relispartition order by c.relname = 'svc_tenant_total', 1`.execute(q);
    for (const { name } of rows) {
      if (KEPT.includes(name)) continue;
      await sql`delete from ${sql.table(name)} where tenant_id = ${tenantId}`.execute(q);
    }
    await q.deleteFrom('svc_tenant').where('id', '=', tenantId).execute();
  });
}
