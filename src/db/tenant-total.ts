import { type SelectQueryBuilder, sql } from 'kysely';

import type { Queries } from './connect.ts';
import { totalOf } from './query-page.ts';

/** Tables with the number of each tenant's rows in svc_tenant_total (sql/0256_version.sql). */
export const COUNTED = [
  'svc_device',
  'svc_point',
  'svc_event_history',
  'svc_entity_alarm',
  'svc_notify_history',
  'svc_point_command_history',
  'svc_command_history',
] as const;

type List = {
  q: Queries;
  tenantId: string;
  /** The table with one row for each of the list. */
  table: (typeof COUNTED)[number];
  /** The caller's request. */
  given: object;
};

/** Fields of a request that choose a page or an order, and leave what is in the list as it is. */
const PAGING = ['page', 'current', 'size', 'orderBy'];

/**
 * How many rows a list of a tenant has: `query` is counted if the caller narrows the list, else the kept total is
 * read, however long the list is.
 */
export const listTotal = <DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  { q, tenantId, table, given }: List,
): Promise<number> => (isNarrowing(given) ? totalOf(query) : keptTotal(q, tenantId, table));

const isNarrowing = (given: object): boolean =>
  Object.entries(given).some(
    ([name, value]) => !PAGING.includes(name) && value !== undefined && value !== '',
  );

/** `entity` of a table in svc_tenant_total. */
export const entityOf = (table: List['table']): string => table.replace(/^svc_/, '');

async function keptTotal(q: Queries, tenantId: string, table: List['table']): Promise<number> {
  const row = await q
    .selectFrom('svc_tenant_total')
    .select((eb) => eb.fn.sum<string | null>('amount').as('total'))
    .where('tenantId', '=', tenantId)
    .where('entity', '=', entityOf(table))
    .executeTakeFirst();
  return Number(row?.total ?? 0);
}

/**
 * Replaces the changes of each tenant and table by their sum, at most `limit` rows at once, and drops those of
 * tenants that are gone; answers how many it took. Writers are not held up, and processes that do it at the same
 * time take different rows. `q` must be a transaction across tenants.
 */
export async function foldTotals(q: Queries, limit: number): Promise<number> {
  const { rows } = await sql<{ taken: string }>`
    with several as (
      select tenant_id, entity from svc_tenant_total t group by tenant_id, entity
      having count(*) > 1 or not exists (select from svc_tenant where id = t.tenant_id)
    ), chosen as (
      select t.tenant_id, t.entity, t.id from svc_tenant_total t join several using (tenant_id, entity)
      limit ${limit} for update of t skip locked
    ), taken as (
      delete from svc_tenant_total t using chosen c
      where (t.tenant_id, t.entity, t.id) = (c.tenant_id, c.entity, c.id)
      returning t.tenant_id, t.entity, t.amount
    ), folded as (
      insert into svc_tenant_total (tenant_id, entity, amount)
      select tenant_id, entity, sum(amount) from taken
      where exists (select from svc_tenant where id = tenant_id) group by tenant_id, entity
    )
    select count(*) as taken from taken`.execute(q);
  return Number(rows[0]?.taken ?? 0);
}
