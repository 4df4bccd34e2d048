import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Fact } from '../../../src/alarm/condition/fact.ts';
import { evaluateAt } from '../../../src/alarm/rule/evaluate.ts';
import { rulesFor } from '../../../src/alarm/rule/rule-cache.ts';
import { atDeviceVersion } from '../../../src/manager/device/version.ts';
import type { World } from '../../support/world/app.ts';
import { percentile } from '../percentile.ts';
import { type Row, row } from '../row.ts';
import { alarmPages } from './alarms.ts';
import { backtested } from './backtest.ts';
import { type Engine, onEachEngine } from './engine.ts';
import { type Tenant, tenantWith } from './tenant.ts';

const MANY = 10_000;
const VALUES = 5_000;
const TURNS = 40;

/** What `BENCH_PART` may name, also of one engine (`alarms-postgres`), one or several with commas. */
const parts = { values: measured, backtest: backtested, alarms: alarmPages };

/** Values against rules: without one, with more and more of them, and beside a tenant that has as many as it may; and what people wait for. */
export async function rules(): Promise<Row[]> {
  const named = (process.env['BENCH_PART'] ?? '').split(',').filter((name) => name !== '');
  return onEachEngine(async (world, name, engine) => {
    const rows: Row[] = [];
    for (const [part, measure] of Object.entries(parts))
      if (named.length === 0 || named.includes(part) || named.includes(`${part}-${name}`))
        rows.push(...(await measure(world, name, engine)));
    return rows;
  });
}

async function measured(world: World, name: string, engine: Engine): Promise<Row[]> {
  const neighbour = await tenantWith(world, 'neighbour', 1);
  const full: Tenant[] = [];
  for (let at = 0; at < 10; at += 1) full.push(await tenantWith(world, `full${at}`, MANY));
  const [crowded] = full;
  if (!crowded) throw new Error('no tenant');
  const other = await engine.begin();
  const hundred = await tenantWith(other, 'hundred', 100);
  await engine.settle([world, other]);
  const [few, many] = await costsOf([other, hundred], [world, crowded]);
  await other.stop();
  const unwatched = await unwatchedUs(world, crowded);
  const alone = await waitsOf(world, neighbour, null);
  const everywhere = await tenantWith(world, 'everywhere', MANY, 'every point');
  const beside = await waitsOf(world, neighbour, everywhere);
  return [
    row('rules', `value-without-rule-us-${name}`, 'us', unwatched, null, '<= 1'),
    row('rules', `value-100-vs-100000-rules-${name}`, 'ms', many, few, '<= 1.1'),
    row('rules', `neighbour-alone-p95-${name}`, 'ms', percentile(alone, 0.95)),
    row(
      'rules',
      `neighbour-beside-10000-p95-${name}`,
      'ms',
      percentile(beside, 0.95),
      null,
      '<= 50',
    ),
  ];
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

type Place = [world: World, tenant: Tenant];

/** Median times (ms) of a batch of 50 values that one rule watches, in turn: whatever else the machine does meets both. */
async function costsOf(...places: [Place, Place]): Promise<[number, number]> {
  const waits: [number[], number[]] = [[], []];
  const first = Date.now() - 10_000_000;
  for (let turn = 0; turn < 3 * TURNS; turn += 1)
    for (const [index, [world, tenant]] of places.entries()) {
      const facts = factsOf(tenant, 50, first + turn * 100);
      const from = performance.now();
      await atDeviceVersion(world.app, tenant.session.tenantId, (at) =>
        evaluateAt(world.app, at, 'POINT', facts),
      );
      if (turn >= TURNS) waits[index]?.push(performance.now() - from);
    }
  return [percentile(waits[0], 0.5), percentile(waits[1], 0.5)];
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
