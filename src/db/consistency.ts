import { sql } from 'kysely';

import type { Check, Finding } from './check.ts';
import { APP_ROLE } from './server/server-session.ts';
import { COUNTED, entityOf } from './tenant-total.ts';

/** Weeks that must have a partition of their own from now on; eight are made at every start. */
const WEEKS_AHEAD = 3;

/** Checks of the row-level security between tenants, of the partitions for coming values and of the kept totals. */
export const checks: readonly Check[] = [
  {
    name: 'every table with a tenant has row-level security, for its owner too',
    find: () => sql<Finding>`
      select c.relname::text as entity, case when not c.relrowsecurity then 'switched off'
        when not c.relforcerowsecurity then 'not for the owner' else 'without a policy' end as detail
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
        and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and not c.relispartition and not (c.relrowsecurity and c.relforcerowsecurity
          and exists (select from pg_policy p where p.polrelid = c.oid))`,
  },
  {
    name: 'the application role can neither bypass row-level security nor owns a table',
    find: () => sql<Finding>`
      select rolname::text as entity, 'may bypass row-level security' as detail from pg_roles
      where rolname = ${APP_ROLE} and (rolsuper or rolbypassrls)
      union all select ${APP_ROLE}, 'owns ' || c.relname from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and c.relowner = (select oid from pg_roles where rolname = ${APP_ROLE})`,
  },
  {
    name: 'values of the next weeks have partitions',
    find: (at) => sql<Finding>`
      select 'svc_point_value' as entity, 'no partition ' || name as detail
      from (select 'svc_point_value_' || to_char(date_trunc('week', ${at}::timestamptz at time zone 'UTC')
        + n * interval '1 week', 'IYYY"w"IW') as name from generate_series(0, ${WEEKS_AHEAD}::int) n) w
      where to_regclass(name) is null`,
  },
  ...COUNTED.map((table): Check => ({
    name: `svc_tenant_total has the number of rows of ${table}`,
    find: () => sql<Finding>`
        select 'tenant ' || tenant_id as entity, rows || ' rows, total ' || total as detail
        from (select tenant_id, sum(present) as rows, sum(amount) as total from (
            select tenant_id, 1 as present, 0 as amount from ${sql.table(table)}
            union all select tenant_id, 0, amount from svc_tenant_total where entity = ${entityOf(table)}
          ) counted group by tenant_id) compared
        where rows <> total`,
  })),
];
