import { type DatabaseConnection, type Expression, sql, type SqlBool } from 'kysely';

import { Outdated, Unavailable } from '../kernel/errors.ts';
import { actorNow } from './actor.ts';
import { namesNow, orOutdated, basisNow } from './basis.ts';
import type { Database, Queries } from './connect.ts';
import { TripConnection } from './trip/connection.ts';
import { parameterOf } from './trip/parameter.ts';
import { PoolConnection } from './trip/pool-connection.ts';
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
  agents: 'the switch of the platform counts for every tenant',
  oauth: 'clients, grants and tokens are found by their own secret ids',
  registrar: 'a driver registers for every tenant it serves',
  ingest: 'one batch is checked against the tenant it names',
  sweeper:
    'expired commands, actions and leases, totals to fold and imports are found wherever they are',
  seed: 'first start and the demo data',
  audit: 'rows of many tenants are written and sealed in one batch',
  'dead-letter': 'the bus belongs to the platform',
  waiting: 'an endpoint that no device has waits for administrators of the platform',
  preflight: 'a browser asks for an origin before its page says who it is',
  doctor: 'the consistency check looks at everything',
} as const;
export type TenantFree = keyof typeof TENANT_FREE;

/** Of a transaction; each time that it is refused, another one has raised the version of the tenant. */
const MAX_ATTEMPTS = 25;
/** Attempts that run beside those of other calls. */
const SIDE_BY_SIDE = 3;

const MOMENT = 'begin isolation level repeatable read, read only';

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
  return transaction(db, tenantScope(tenantId), work);
}

/**
 * Runs the queries that `work` asks side by side (`Promise.all`) in one round trip and one transaction, which sees
 * the rows of `tenantId` only. No query may depend on the answer of another: one that is asked after the trip
 * has left is refused. After an error nothing of the trip is kept.
 */
export function inOneTrip<T>(
  db: Database,
  tenantId: string,
  work: (queries: Queries) => Promise<T>,
): Promise<T> {
  return oneTrip(db, tenantScope(tenantId), work);
}

/** As `inOneTrip`, over all tenants, for one of the listed reasons. */
export function inOneTripAcrossTenants<T>(
  db: Database,
  reason: TenantFree,
  work: (queries: Queries) => Promise<T>,
): Promise<T> {
  return oneTrip(db, { name: 'svc.tenant_free', value: reason }, work);
}

const oneTrip = <T>(
  db: Database,
  scope: Scope,
  work: (queries: Queries) => Promise<T>,
): Promise<T> => onPresentFacts(db, () => db.queue(() => tripOf(db, scope, work)));

async function tripOf<T>(
  db: Database,
  scope: Scope,
  work: (queries: Queries) => Promise<T>,
): Promise<T> {
  const pool = db.queries.getExecutor();
  const connection = new TripConnection(
    (statements) =>
      pool.provideConnection(async (pooled) => {
        const answers = await ofPool(pooled).sendSingle([contextOf(scope), ...statements]);
        note();
        return answers.slice(1);
      }),
    { once: true },
  );
  try {
    return await work(queriesOn(db.queries, connection));
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
  return transaction(db, { name: 'svc.tenant_free', value: reason }, work);
}

/** Reads over all tenants; every query of `work` sees the data of the same moment. */
export function momentAcrossTenants<T>(
  db: Database,
  reason: TenantFree,
  work: (queries: Queries) => Promise<T>,
): Promise<T> {
  return transaction(db, { name: 'svc.tenant_free', value: reason }, work, MOMENT);
}

/**
 * Lets `work`, a part of an `inTenant` transaction, query across tenants for one of the listed reasons;
 * before and after it row-level security applies. Look up ids given by callers outside of it. Ask no other query
 * of the transaction beside it (`Promise.all`): until the end of `work` it would see all tenants too, and nothing
 * tells it from the queries of `work`.
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

type Scope = { name: 'svc.tenant_id' | 'svc.tenant_free'; value: string };

function tenantScope(tenantId: string): Scope {
  if (!/^\d{1,19}$/.test(tenantId)) throw new Error('a tenant id must be decimal digits');
  return { name: 'svc.tenant_id', value: tenantId };
}

/**
 * The first statement of a transaction: what it sees, its actor (both gone with its end), and that the facts
 * its call relies on are still the present ones.
 */
function contextOf({ name, value }: Scope): Statement {
  const facts = basisNow();
  const names = namesNow();
  const parameters = [name, value, actorNow() ?? '', facts?.tenantId, facts?.version];
  if (!names) return { sql: CONTEXT, parameters: parameters.map(parameterOf) };
  return {
    sql: `${CONTEXT}, svc_require_name_version($6, $7)`,
    parameters: [...parameters, names.tenantId, names.version].map(parameterOf),
  };
}

const CONTEXT = `select set_config($1, $2, true), set_config('svc.actor', $3, true), svc_require_version($4, $5)`;

/** Notes that a transaction of the call has begun, so on present facts. */
function note(): void {
  const facts = basisNow();
  if (facts) facts.isChecked = true;
  const names = namesNow();
  if (names) names.isChecked = true;
}

/**
 * Repeats a transaction that was refused before it began, once the facts are read again and are the same. Where they
 * change all the time, as each of many changes of rights ends what all others rely on, repetitions take turns.
 */
async function onPresentFacts<T>(db: Database, transact: () => Promise<T>): Promise<T> {
  const again = async ({ outdated }: { outdated: Outdated }): Promise<Tried<T>> => {
    await basisNow()?.renew(outdated.present);
    return tried(transact);
  };
  let last = await tried(transact);
  for (let attempt = 2; 'outdated' in last; attempt += 1) {
    if (attempt > MAX_ATTEMPTS)
      throw new Unavailable('The rights of this call change faster than it can be done');
    const before = last;
    if (attempt <= SIDE_BY_SIDE) last = await again(before);
    else
      last = await db.repetitions(async () => {
        // What it knew when it joined the line is old: its first try says what is present.
        const first = await again(before);
        return 'outdated' in first ? again(first) : first;
      });
  }
  return last.value;
}

type Tried<T> = { value: T } | { outdated: Outdated };

async function tried<T>(transact: () => Promise<T>): Promise<Tried<T>> {
  try {
    return { value: await transact() };
  } catch (error) {
    const known = orOutdated(error);
    if (known instanceof Outdated && basisNow()) return { outdated: known };
    throw orUnavailable(known);
  }
}

function ofPool(connection: DatabaseConnection): PoolConnection {
  if (connection instanceof PoolConnection) return connection;
  throw new Error('not a connection of the pool');
}

const transaction = <T>(
  db: Database,
  scope: Scope,
  work: (queries: Queries) => Promise<T>,
  begin = 'begin',
): Promise<T> =>
  onPresentFacts(db, () =>
    db.queries.getExecutor().provideConnection(async (pooled) => {
      const connection = ofPool(pooled);
      await connection.take();
      connection.begin([{ sql: begin, parameters: [] }, contextOf(scope)], note);
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
    }),
  );
