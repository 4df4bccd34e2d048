import { sql } from 'kysely';

import { type Check, type Finding, link, owned } from '../db/check.ts';

const principal = (table: string, column = 'principal_id', when?: string): Check[] =>
  link({ table, column, to: 'svc_principal', across: true, ...(when ? { when } : {}) });

/** Checks of principals, memberships, credentials, clients, keys and role bindings. */
export const checks: readonly Check[] = [
  ...owned(['svc_tenant_membership', 'svc_service_account', 'svc_role_principal_bind']),
  ...owned(['svc_oauth_client', 'svc_mcp_connection', 'svc_identity_provider', 'svc_key']),
  ...owned(['svc_heard_text'], 'digest'),
  ...principal('svc_user'),
  ...principal('svc_local_credential'),
  ...principal('svc_tenant_membership'),
  ...principal('svc_service_account'),
  ...principal('svc_key'),
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
    name: 'a name is taken in each tenant of the principal that has it',
    find: () => sql<Finding>`
      with wanted as (
        select m.tenant_id, 'LOGIN' as kind, c.login_name_normalized as name, m.principal_id
        from svc_tenant_membership m join svc_local_credential c on c.principal_id = m.principal_id
        union all
        select m.tenant_id, 'USER', u.user_name, m.principal_id
        from svc_tenant_membership m join svc_user u on u.principal_id = m.principal_id)
      select coalesce(w.kind, n.kind) || ' name of svc_principal ' || coalesce(w.principal_id, n.principal_id) as entity,
        case when n.name is null then 'not taken' else 'taken by no member' end
          || ' in tenant ' || coalesce(w.tenant_id, n.tenant_id) as detail
      from wanted w full join svc_tenant_name n
        on (n.tenant_id, n.kind, n.name, n.principal_id) = (w.tenant_id, w.kind, w.name, w.principal_id)
      where w.name is null or n.name is null`,
  },
  {
    // docs/specification/identity.md, svc_principal: a SERVICE_ACCOUNT has one tenant.
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
