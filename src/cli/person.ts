import { normalizeLogin } from '../auth/login/checks.ts';
import { permissionsOf } from '../auth/permission/permission.ts';
import { acrossTenants } from '../db/tenant.ts';
import type { App, Caller } from '../kernel/app/app.ts';
import { ConfigError } from '../kernel/process/config.ts';

/** The user of this login as the caller: access to the database is access to every account. */
export async function personOf(app: App, tenant: string, login: string): Promise<Caller> {
  const found = await acrossTenants(app.db, 'login', (q) =>
    q
      .selectFrom('svc_local_credential as credential')
      .innerJoin('svc_tenant_membership as member', 'member.principalId', 'credential.principalId')
      .innerJoin('svc_tenant as tenant', 'tenant.id', 'member.tenantId')
      .select(['member.tenantId', 'member.principalId', 'credential.loginName as name'])
      .where('tenant.tenantCode', '=', tenant)
      .where('credential.loginNameNormalized', '=', normalizeLogin(login))
      .executeTakeFirst(),
  );
  if (!found) throw new ConfigError(`there is no login ${login} in the tenant ${tenant}`);
  const { codes: permissions } = await permissionsOf(app, found.tenantId, found.principalId);
  return { ...found, principalType: 'USER', via: 'system', permissions };
}
