import type { Queries } from '../../db/connect.ts';
import { acrossTenantsWithin } from '../../db/tenant.ts';
import type { Caller } from '../../kernel/app/app.ts';
import { keepingAnAdmin } from './last-admin.ts';
import { demandMayChange, refuseWhileOwner } from './member.ts';

/** Tables with rows that are deleted together with their principal. */
const PARTS = [
  'svc_user',
  'svc_local_credential',
  'svc_external_identity',
  'svc_role_principal_bind',
  'svc_token_revocation',
  'svc_mcp_connection',
  'svc_key',
  'svc_agent_hold',
  'svc_tenant_membership',
] as const;

/**
 * Deletes a principal of the caller's tenant with its rows, in the caller's transaction. Throws Conflict (409) for a last admin and for an owner of accounts or
 * clients, Forbidden (403) for a principal the caller may not change.
 */
export async function removeAccount(
  q: Queries,
  caller: Caller,
  principalId: string,
): Promise<void> {
  const tenants = await demandMayChange(q, caller, principalId);
  await keepingAnAdmin(q, tenants, () =>
    acrossTenantsWithin(q, 'account', async () => {
      for (const tenantId of tenants) await refuseWhileOwner(q, tenantId, principalId);
      await q
        .deleteFrom('svc_mcp_connection_tool')
        .where('connectionId', 'in', (sub) =>
          sub.selectFrom('svc_mcp_connection').select('id').where('principalId', '=', principalId),
        )
        .execute();
      for (const table of PARTS) {
        await q.deleteFrom(table).where('principalId', '=', principalId).execute();
      }
      await q.deleteFrom('svc_principal').where('id', '=', principalId).execute();
    }),
  );
}
