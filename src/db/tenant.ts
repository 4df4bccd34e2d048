import { type DatabaseConnection, type Expression, sql, type SqlBool } from 'kysely';

import { actorNow } from './actor.ts';
import type { Database, Queries } from './connect.ts';
import { TripConnection } from './trip/connection.ts';
import { queriesOn } from './trip/queries.ts';
import type { Statement } from './trip/trip.ts';
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
  return transaction(db, tenantSetting(tenantId), work);
}

/**
 * Runs the queries that `work` asks side by side (`Promise.all`) in one round trip and one transaction, which sees
 * the rows of `tenantId` only. No query may depend on the answer of another: one that is asked after the trip
 * has left is refused. After an error nothing of the trip is kept.
 */
export async function inOneTrip<T>(
  db: Database,
  tenantId: string,
  work: (queries: Queries) => Promise<T>,
): Promise<T> {
  const context = contextOf(tenantSetting(tenantId));
  const pool = db.queries.getExecutor();
  const connection = new TripConnection(
    (statements) =>
      pool.provideConnection(async (pooled) => {
        const answers = await ofPool(pooled).send([...context, ...statements]);
        return answers.slice(context.length);
      }),
    { once: true },
  );
  try {
    return await work(queriesOn(db.queries, connection));
  } catch (error) {
    throw orUnavailable(error);
  } finally {
    connection.close();
  }
}

/** Runs `work` in one transaction over all tenants, for one of the listed reasons. */
export function acrossTenants<T>(
  db: Database,
  reason: TenantFree,
  work: (queries: Queries) => Promise<T>,
): Promise<T> {
  return transaction(db, setting('svc.tenant_free', reason), work);
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
  await sql`select set_config('svc.tenant_free', ${reason}, true)`.execute(queries);
  try {
    return await work();
  } finally {
    // Also after a failure that the caller handles; in an aborted transaction every statement fails anyway.
    await sql`select set_config('svc.tenant_free', '', true)`.execute(queries).catch(() => {});
  }
}

/**
 * Lets the queries asked after it in the same trip see all tenants for one of the listed reasons, if `condition`
 * holds. Only for `inOneTrip`: it lasts until the end of the transaction.
 */
export async function acrossTenantsIf(
  queries: Queries,
  reason: TenantFree,
  condition: Expression<SqlBool>,
): Promise<void> {
  await sql`select set_config('svc.tenant_free', ${reason}, true) where ${condition}`.execute(
    queries,
  );
}

/** A setting of the transaction, gone with its end. */
const setting = (name: string, value: string): Statement => ({
  sql: 'select set_config($1, $2, true)',
  parameters: [name, value],
});

function tenantSetting(tenantId: string): Statement {
  if (!/^\d{1,19}$/.test(tenantId)) throw new Error('a tenant id must be decimal digits');
  return setting('svc.tenant_id', tenantId);
}

function ofPool(connection: DatabaseConnection): TripConnection {
  if (connection instanceof TripConnection) return connection;
  throw new Error('not a connection of the pool');
}

/** Context and actor of a transaction that begins now. */
function contextOf(context: Statement): Statement[] {
  const actor = actorNow();
  return actor === null ? [context] : [context, setting('svc.actor', actor)];
}

async function transaction<T>(
  db: Database,
  context: Statement,
  work: (queries: Queries) => Promise<T>,
): Promise<T> {
  try {
    return await db.queries.getExecutor().provideConnection(async (pooled) => {
      const connection = ofPool(pooled);
      connection.begin(contextOf(context));
      try {
        const result = await work(queriesOn(db.queries, connection));
        connection.close();
        await connection.commit();
        return result;
      } catch (error) {
        connection.close();
        await connection.rollback();
        throw error;
      }
    });
  } catch (error) {
    throw orUnavailable(error);
  }
}
