import { sql } from 'kysely';

import { actorSetting } from './actor.ts';
import type { Database, Queries } from './connect.ts';
import { orUnavailable } from './unavailable.ts';

/**
 * The only reasons to query across tenants. Row-level security passes a transaction that names one of them;
 * every other transaction sees the rows of one tenant.
 */
const TENANT_FREE = {
  login: 'the tenant is what a login has to find out',
  permission: 'platform roles and their resources belong to no tenant',
  account: 'a new principal belongs to no tenant until its membership is written',
  oauth: 'clients, grants and tokens are found by their own secret ids',
  registrar: 'a driver registers for every tenant it serves',
  ingest: 'one batch is checked against the tenant it names',
  sweeper: 'expired commands, actions and leases are found wherever they are',
  seed: 'first start and the demo data',
  audit: 'calls of many tenants are written in one batch',
  'dead-letter': 'the bus belongs to the platform',
  doctor: 'the consistency check looks at everything',
} as const;
export type TenantFree = keyof typeof TENANT_FREE;

/**
 * Runs `work` in one transaction that sees the rows of `tenantId` only. The context is local to the
 * transaction, so requests that share a connection cannot see each other's rows. Do not wait for the
 * network inside, and pass `queries` on: a nested call would wait for the connection of this one.
 */
export function inTenant<T>(
  db: Database,
  tenantId: string,
  work: (queries: Queries) => Promise<T>,
): Promise<T> {
  if (!/^\d{1,19}$/.test(tenantId)) throw new Error('a tenant id must be decimal digits');
  return transaction(db, `set local svc.tenant_id = '${tenantId}'`, work);
}

/** Runs `work` in one transaction over all tenants, for one of the listed reasons. */
export function acrossTenants<T>(
  db: Database,
  reason: TenantFree,
  work: (queries: Queries) => Promise<T>,
): Promise<T> {
  return transaction(db, `set local svc.tenant_free = '${reason}'`, work);
}

/**
 * Lets `work`, a part of an `inTenant` transaction, query across tenants for one of the listed reasons;
 * before and after it row-level security applies. Look up ids given by callers outside of it.
 */
export async function acrossTenantsWithin<T>(
  queries: Queries,
  reason: TenantFree,
  work: () => Promise<T>,
): Promise<T> {
  await sql.raw(`set local svc.tenant_free = '${reason}'`).execute(queries);
  try {
    return await work();
  } finally {
    // Also after a failure that the caller handles; in an aborted transaction every statement fails anyway.
    await sql
      .raw(`set local svc.tenant_free = ''`)
      .execute(queries)
      .catch(() => {});
  }
}

async function transaction<T>(
  db: Database,
  context: string,
  work: (queries: Queries) => Promise<T>,
): Promise<T> {
  try {
    return await db.queries.connection().execute(async (queries) => {
      // One round trip for both statements; with literals, because a simple query takes no parameters.
      await sql.raw(`begin; ${context}${actorSetting()}`).execute(queries);
      try {
        const result = await work(queries);
        await commit(queries);
        return result;
      } catch (error) {
        await sql`rollback`.execute(queries).catch(() => {});
        throw error;
      }
    });
  } catch (error) {
    throw orUnavailable(error);
  }
}

/** After a failed statement, even if its error was caught, a server answers COMMIT with ROLLBACK. */
async function commit(queries: Queries): Promise<void> {
  const { rows } = await sql<{ command: string }>`commit`.execute(queries);
  if (rows[0]?.command !== 'COMMIT') throw new Error('the transaction was not committed');
}
