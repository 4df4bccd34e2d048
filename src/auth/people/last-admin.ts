import type { Queries } from '../../db/connect.ts';
import { acrossTenantsWithin } from '../../db/tenant.ts';
import { Conflict } from '../../kernel/errors.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { PLATFORM, WILDCARD } from '../permission/permission.ts';

/**
 * Runs a change that may remove permissions; throws Conflict (409) when it leaves a tenant that had an
 * active user with all permissions without one. Such changes of a tenant run one after the other.
 */
export async function keepingAnAdmin<T>(
  q: Queries,
  tenants: readonly string[],
  change: () => Promise<T>,
): Promise<T> {
  const administered = await acrossTenantsWithin(q, 'account', async () => {
    await q
      .selectFrom('svc_tenant')
      .select('id')
      .where('id', 'in', [...tenants, PLATFORM])
      .orderBy('id')
      .forUpdate()
      .execute();
    const found: string[] = [];
    for (const tenantId of tenants) if (await hasAdmin(q, tenantId)) found.push(tenantId);
    return found;
  });
  const result = await change();
  await acrossTenantsWithin(q, 'account', async () => {
    for (const tenantId of administered) {
      if (!(await hasAdmin(q, tenantId)))
        throw new Conflict('The tenant would be without an admin');
    }
  });
  return result;
}

async function hasAdmin(q: Queries, tenantId: string): Promise<boolean> {
  const admin = await q
    .selectFrom('svc_role_principal_bind as bind')
    .innerJoin('svc_role as role', 'role.id', 'bind.roleId')
    .innerJoin('svc_role_resource_bind as grant', 'grant.roleId', 'role.id')
    .innerJoin('svc_resource as resource', 'resource.id', 'grant.resourceId')
    .innerJoin('svc_tenant_membership as membership', (on) =>
      on
        .onRef('membership.tenantId', '=', 'bind.tenantId')
        .onRef('membership.principalId', '=', 'bind.principalId'),
    )
    .innerJoin('svc_principal as principal', 'principal.id', 'bind.principalId')
    .innerJoin('svc_local_credential as credential', 'credential.principalId', 'principal.id')
    .select('bind.id')
    .where('bind.tenantId', '=', tenantId)
    .where('role.tenantId', 'in', [tenantId, PLATFORM])
    .where('role.enableFlag', '=', EnableFlag.ENABLE)
    .where('resource.resourceCode', '=', WILDCARD)
    .where('resource.enableFlag', '=', EnableFlag.ENABLE)
    .where('membership.membershipStatus', '=', 'ACTIVE')
    .where('principal.principalType', '=', 'USER')
    .where('principal.enableFlag', '=', EnableFlag.ENABLE)
    .where('principal.lockedFlag', '=', 0)
    .where('credential.enableFlag', '=', EnableFlag.ENABLE)
    .limit(1)
    .executeTakeFirst();
  return admin !== undefined;
}
