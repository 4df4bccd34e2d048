import { sql } from 'kysely';

import type { Queries } from '../../../src/db/connect.ts';
import { acrossTenants, inTenant } from '../../../src/db/tenant.ts';
import { type Owned, populate } from '../cases/populate.ts';
import { login } from '../people/session.ts';
import type { World } from '../world/app.ts';
import { testEnvironment } from '../world/environment.ts';
import { eventually } from '../world/eventually.ts';

/** A tenant nobody attacks, whose rows must be the same afterwards. */
export type Canary = {
  tenantId: string;
  /** What differs from the day it was hatched, and what of the good traffic fails now. */
  harm(): Promise<string[]>;
};

const VALUES = 50;
const DAY_MS = 86_400_000;
/** Their rows go on living, by drivers, rules, logins and expiry: they are only counted. */
const ALIVE = new Set([
  'svc_entity_state',
  'svc_point_latest',
  'svc_rule_state',
  'svc_entity_alarm',
  'svc_identity_audit_log',
  'svc_action',
  // A driver that registers is a name of every tenant.
  'svc_tenant_version',
  // News of its own commands and alarms, which get their places a moment later.
  'svc_feed',
  'svc_feed_head',
]);
/** Rows that end by themselves, come with time, or are folded into one (the doctor compares the totals with what they count). */
const PASSING = new Set([
  'svc_oauth_store',
  'svc_token_revocation',
  'svc_tenant_total',
  'svc_audit_seal',
]);
const DECLARED = ['svc_driver_attribute', 'svc_point_attribute'];
const CODE = 'canary';
const DATA = '/api/v3/data';

/** Hatches the canary: one of everything and a day-old history. */
export async function hatch(world: World): Promise<Canary> {
  const session = await world.tenant(CODE);
  const { tenantId } = session;
  const own = await populate(world, session);
  await addHistory(world, tenantId, own);
  await goodTraffic(world, own);
  const hatched = { hatchedAt: world.clock.now(), drivers: await driversOf(world, tenantId) };
  const before = await tables(world, tenantId, hatched);
  return {
    tenantId,
    async harm() {
      const wrong: string[] = [];
      const now = await tables(world, tenantId, hatched);
      for (const [table, rows] of before) {
        const after = now.get(table);
        const isSame = ALIVE.has(table)
          ? (after?.count ?? 0) >= rows.count
          : after?.digest === rows.digest;
        if (!isSame) wrong.push(`the canary's ${table} changed`);
      }
      await goodTraffic(world, own).catch((error: unknown) =>
        wrong.push(`good traffic fails: ${String(error)}`),
      );
      return wrong;
    },
  };
}

async function addHistory(world: World, tenantId: string, own: Owned): Promise<void> {
  const from = world.clock.now() - DAY_MS;
  const payload = {
    tenantId,
    driverId: own.driver,
    driverCode: 'VirtualDriver',
    node: 'canary',
    values: Array.from({ length: VALUES }, (_, index) => ({
      deviceId: own.device,
      pointId: own.point,
      rawValue: String(index),
      calValue: String(index),
      numValue: index,
      originTime: from + index * 1000,
      seq: 0,
      quality: 0 as const,
    })),
  };
  await world.bus.handled('svc.e.value', payload, 'VirtualDriver');
}

/** Login, a read command to its end, the latest value and the old history; throws when one fails. */
async function goodTraffic(world: World, own: Owned): Promise<void> {
  const password = testEnvironment.SVC_ADMIN_PASSWORD;
  const session = await login(world.base, CODE, `${CODE}-admin`, password);
  const ids = { deviceId: own.device, pointId: own.point };
  const commandId = String(await session.data(`${DATA}/point_command/read`, ids));
  const receipt = await eventually(
    () => session.data(`${DATA}/point_command_history/get_by_command_id`, undefined, { commandId }),
    (answer) => !/"status":"(PENDING|SENT)"/.test(JSON.stringify(answer)),
    30_000,
  );
  if (!JSON.stringify(receipt).includes('"status":"SUCCESS"'))
    throw new Error(`the read ended otherwise: ${JSON.stringify(receipt)}`);
  const latest = JSON.stringify(await session.data(`${DATA}/point_value/latest`, ids));
  if (!latest.includes('calValue')) throw new Error(`no latest value: ${latest}`);
}

type Hatched = { hatchedAt: number; drivers: readonly string[] };
type Rows = Map<string, { count: number; digest: string }>;

/** Count and digest of the canary's rows in every table that has a tenant, and of its logins. */
async function tables(
  world: World,
  tenantId: string,
  { hatchedAt, drivers }: Hatched,
): Promise<Rows> {
  const { db } = world.app;
  // The driver goes on reading, and good traffic issues commands.
  const settled: Record<string, ReturnType<typeof sql>> = {
    svc_point_value: sql`and t.create_time < ${new Date(hatchedAt - DAY_MS / 2)}`,
    svc_point_command_history: sql`and t.occur_time <= ${new Date(hatchedAt)}`,
    // Whoever may speak on the bus may register a driver of a new name, with every tenant.
    ...Object.fromEntries(
      DECLARED.map((table) => [table, sql`and t.driver_id = any(${drivers}::bigint[])`]),
    ),
    svc_driver: sql`and t.id = any(${drivers}::bigint[])`,
  };
  const found: Rows = new Map();
  await inTenant(db, tenantId, async (q) => {
    for (const table of await tablesWithTenant(q)) {
      const until = settled[table] ?? sql``;
      const from = sql`${sql.table(table)} t where t.tenant_id = ${tenantId}::bigint ${until}`;
      if (!PASSING.has(table)) found.set(table, await rowsOf(q, from));
    }
  });
  await acrossTenants(db, 'doctor', async (q) => {
    const mine = sql`select m.principal_id from svc_tenant_membership m where m.tenant_id = ${tenantId}::bigint`;
    found.set('svc_tenant', await rowsOf(q, sql`svc_tenant t where t.id = ${tenantId}::bigint`));
    found.set(
      'svc_local_credential',
      await rowsOf(
        q,
        sql`(select id, principal_id, login_name, password_hash, enable_flag from svc_local_credential) t
          where t.principal_id in (${mine})`,
      ),
    );
  });
  return found;
}

async function driversOf(world: World, tenantId: string): Promise<string[]> {
  const rows = await inTenant(world.app.db, tenantId, (q) =>
    q.selectFrom('svc_driver').select('id').where('tenantId', '=', tenantId).execute(),
  );
  return rows.map(({ id }) => id);
}

async function tablesWithTenant(q: Queries): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
    where a.attname = 'tenant_id' and c.relkind in ('r', 'p') and not c.relispartition
      and c.relnamespace = current_schema()::regnamespace order by 1`.execute(q);
  return rows.map(({ name }) => name);
}

async function rowsOf(q: Queries, from: ReturnType<typeof sql>) {
  // A driver node that registers again is sent all its devices, each as a message of a new version.
  const { rows } = await sql<{ count: string; digest: string }>`
    select count(*) as count, md5(coalesce(string_agg(r.digest, '' order by r.digest), '')) as digest
    from (select md5((to_jsonb(t) - 'metadata_version')::text) as digest from ${from}) r`.execute(
    q,
  );
  const [row] = rows;
  if (!row) throw new Error('no digest');
  return { count: Number(row.count), digest: row.digest };
}
