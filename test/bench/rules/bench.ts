import { rm } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

import { sql } from 'kysely';

import type { Fact } from '../../../src/alarm/condition/fact.ts';
import { evaluateAt } from '../../../src/alarm/rule/evaluate.ts';
import { forgetRules, rulesFor } from '../../../src/alarm/rule/rule-cache.ts';
import { inTenant } from '../../../src/db/tenant.ts';
import { atDeviceVersion } from '../../../src/manager/device/version.ts';
import { onboardQuiet, type Plant } from '../../support/devices/plant.ts';
import type { Session } from '../../support/people/session.ts';
import { startWorld, type World } from '../../support/world/app.ts';
import { freshDatabases } from '../database.ts';
import { percentile } from '../percentile.ts';
import { freshDirectory } from '../process.ts';
import { type Row, row } from '../row.ts';

const MANY = 10_000;
const VALUES = 5_000;
const TURNS = 40;

/** Values against rules: without one, with more and more of them, and beside a tenant that has as many as it may. */
export async function rules(): Promise<Row[]> {
  await using databases = await freshDatabases(process.env['DATABASE_URL']);
  const directory = await freshDirectory();
  const engines = {
    embedded: { SVC_DATA_DIR: directory },
    ...(databases && { postgres: { DATABASE_URL: await databases.make() } }),
  };
  const rows: Row[] = [];
  for (const [engine, environment] of Object.entries(engines)) {
    const world = await startWorld({
      database: { environment, remove: () => Promise.resolve() },
      environment: { SVC_DEMO: 'off' },
    });
    try {
      const settle = engine === 'postgres' ? databases?.settle : undefined;
      rows.push(...(await measured(world, engine, settle)));
    } finally {
      await world.stop();
    }
  }
  await rm(directory, { recursive: true });
  return rows;
}

async function measured(
  world: World,
  engine: string,
  settle: () => Promise<void> = () => Promise.resolve(),
): Promise<Row[]> {
  const neighbour = await tenantWith(world, 'neighbour', 1);
  const hundred = await tenantWith(world, 'hundred', 100);
  await settle();
  const before = await costOf(world, hundred);
  const full: Tenant[] = [];
  for (let at = 0; at < 10; at += 1) full.push(await tenantWith(world, `full${at}`, MANY));
  const [crowded] = full;
  if (!crowded) throw new Error('no tenant');
  await settle();
  const after = await costOf(world, crowded);
  const unwatched = await unwatchedUs(world, crowded);
  const alone = await waitsOf(world, neighbour, null);
  const everywhere = await tenantWith(world, 'everywhere', MANY, 'every point');
  const beside = await waitsOf(world, neighbour, everywhere);
  return [
    row('rules', `value-without-rule-us-${engine}`, 'us', unwatched, null, '<= 1'),
    row('rules', `value-100-vs-100000-rules-${engine}`, 'ms', after, before, '<= 1.1'),
    row('rules', `neighbour-alone-p95-${engine}`, 'ms', percentile(alone, 0.95)),
    row(
      'rules',
      `neighbour-beside-10000-p95-${engine}`,
      'ms',
      percentile(beside, 0.95),
      null,
      '<= 50',
    ),
  ];
}

type Tenant = { session: Session; plant: Plant };

/** A tenant with one device, a rule on its point and others on points that send nothing, or all on every point. */
async function tenantWith(
  world: World,
  code: string,
  count: number,
  on: 'one point' | 'every point' = 'one point',
): Promise<Tenant> {
  const session = await world.tenant(code);
  const plant = await onboardQuiet(world, session);
  const ruleExt = JSON.stringify({
    content: { condition: { field: 'calValue', operator: '>', threshold: 1_000 } },
  });
  const { tenantId } = session;
  const entity =
    on === 'one point'
      ? sql`case when n = 1 then ${plant.target}::bigint else 900000000 + n end`
      : sql`0`;
  await inTenant(world.app.db, tenantId, (q) =>
    sql`insert into svc_rule (tenant_id, rule_name, rule_code, alarm_target_type_flag, entity_id, rule_ext)
      select ${tenantId}::bigint, 'r' || n, 'r' || n, 0, ${entity}, ${ruleExt}::jsonb
      from generate_series(1, ${count}::integer) n`.execute(q),
  );
  forgetRules(world.app, tenantId);
  return { session, plant };
}

const factsOf = ({ plant }: Tenant, count: number, first: number): Fact[] =>
  Array.from({ length: count }, (_, n) => ({
    entityId: plant.target,
    pointId: plant.target,
    deviceId: plant.deviceId,
    driverId: plant.driverId,
    pointType: 'DOUBLE',
    values: { calValue: n % 30, value: n % 30, quality: 'GOOD' },
    at: first + n,
  }));

/** Median time (ms) of a batch of 50 values that one rule watches. */
async function costOf(world: World, tenant: Tenant): Promise<number> {
  const waits: number[] = [];
  const first = Date.now() - 10_000_000;
  for (let turn = 0; turn < 2 * TURNS; turn += 1) {
    const facts = factsOf(tenant, 50, first + turn * 100);
    const from = performance.now();
    await atDeviceVersion(world.app, tenant.session.tenantId, (at) =>
      evaluateAt(world.app, at, 'POINT', facts),
    );
    if (turn >= TURNS) waits.push(performance.now() - from);
  }
  return percentile(waits, 0.5);
}

/** What a value costs (µs) that no rule watches. */
async function unwatchedUs(world: World, { session, plant }: Tenant): Promise<number> {
  const { tenantId } = session;
  const values = Array.from({ length: VALUES }, () => ({ pointId: plant.temperature }));
  return atDeviceVersion(world.app, tenantId, async (at) => {
    const waits: number[] = [];
    for (let turn = 0; turn < 2 * TURNS; turn += 1) {
      const from = performance.now();
      const candidates = await rulesFor(world.app, at, 'POINT');
      const watched = values.filter(({ pointId }) => candidates(pointId).length > 0);
      if (watched.length > 0) throw new Error('a rule watches it');
      if (turn >= TURNS) waits.push(((performance.now() - from) * 1_000) / VALUES);
    }
    return percentile(waits, 0.5);
  });
}

/** How long (ms) each of the values of a tenant takes to be stored and evaluated, beside one of another each 100 ms. */
async function waitsOf(world: World, tenant: Tenant, other: Tenant | null): Promise<number[]> {
  const send = ({ session, plant }: Tenant) =>
    world.bus.handled(
      'svc.e.value',
      {
        tenantId: session.tenantId,
        driverId: plant.driverId,
        driverCode: 'VirtualDriver',
        node: 'bench',
        values: [
          {
            deviceId: plant.deviceId,
            pointId: plant.target,
            rawValue: '20',
            originTime: Date.now(),
            calValue: '20',
            numValue: 20,
            quality: 0 as const,
            seq: (sequence += 1),
          },
        ],
      },
      'VirtualDriver',
    );
  if (other) await send(other);
  const ends = new AbortController();
  const beside = other && keepSending(() => send(other), ends.signal);
  const waits: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    await sleep(50);
    const from = performance.now();
    await send(tenant);
    waits.push(performance.now() - from);
  }
  ends.abort();
  await beside;
  return waits;
}

let sequence = 0;

async function keepSending(send: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await send();
    await sleep(100);
  }
}
