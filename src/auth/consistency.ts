import { sql } from 'kysely';

import { type Check, type Finding, link, owned } from '../db/check.ts';

const principal = (table: string, column = 'principal_id', when?: string): Check[] =>
  link({ table, column, to: 'svc_principal', across: true, ...(when ? { when } : {}) });

/** Who is who, in which tenant, with which roles. */
export const checks: readonly Check[] = [
  ...owned(['svc_tenant_membership', 'svc_service_account', 'svc_role_principal_bind']),
  ...owned(['svc_oauth_client', 'svc_mcp_connection', 'svc_identity_provider']),
  ...principal('svc_user'),
  ...principal('svc_local_credential'),
  ...principal('svc_tenant_membership'),
  ...principal('svc_service_account'),
  ...principal('svc_role_principal_bind'),
  ...principal(
    'svc_oauth_client',
    'service_account_principal_id',
    'c.service_account_principal_id <> 0',
  ),
  ...link({ table: 'svc_role_principal_bind', column: 'role_id', to: 'svc_role', across: true }),
  ...link({ table: 'svc_role_resource_bind', column: 'role_id', to: 'svc_role', across: true }),
  ...link({
    table: 'svc_role_resource_bind',
    column: 'resource_id',
    to: 'svc_resource',
    across: true,
  }),
  {
    name: 'a role is bound in its own tenant, or is one of the platform',
    find: () => sql<Finding>`
      select 'svc_role_principal_bind ' || b.id as entity, 'role_id = ' || b.role_id as detail
      from svc_role_principal_bind b join svc_role r on r.id = b.role_id
      where r.tenant_id not in (0, b.tenant_id)`,
  },
  {
    name: 'who has a role in a tenant is a member of it',
    find: () => sql<Finding>`
      select 'svc_role_principal_bind ' || b.id as entity, 'principal_id = ' || b.principal_id as detail
      from svc_role_principal_bind b where not exists (select from svc_tenant_membership m
        where m.tenant_id = b.tenant_id and m.principal_id = b.principal_id)`,
  },
  {
    // SPEC.md, Identity and access tables: SERVICE_ACCOUNT is single-tenant by design.
    name: 'a service account is a member of exactly one tenant: its own',
    find: () => sql<Finding>`
      select 'svc_principal ' || p.id as entity,
        count(m.id) || ' memberships, ' || count(m.id) filter (where m.tenant_id = a.tenant_id)
          || ' in its own tenant' as detail
      from svc_principal p
      left join svc_service_account a on a.principal_id = p.id
      left join svc_tenant_membership m on m.principal_id = p.id
      where p.principal_type = 'SERVICE_ACCOUNT' group by p.id
      having count(m.id) <> 1 or count(m.id) filter (where m.tenant_id = a.tenant_id) <> 1`,
  },
];
