import { setTimeout } from 'node:timers/promises';

import { sql } from 'kysely';
import { expect, it } from 'vitest';

import { closeTurn } from '../../src/data/history/close/turn.ts';
import { shareHours } from '../../src/data/history/lock.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { virtualDriver } from '../support/devices/plant.ts';
import { counted, rowsOf, siteOf, storeRows } from '../support/runs/history/values.ts';
import { startWorld } from '../support/world/app.ts';
import { started } from '../support/world/prepared.ts';

const HOUR = 3_600_000;
const world = started(() => startWorld());
const until = Math.floor(Date.now() / HOUR) * HOUR - 2 * HOUR;
const turn = { until, closeAfterMs: 2 * HOUR };

const tenantWithValues = async (code: string) => {
  const session = await world.tenant(code);
  const site = await siteOf(session, await virtualDriver(session));
  const rows = rowsOf(site, 3, { end: until, hours: 2, everyMs: 10 * 60_000 });
  await storeRows(world, session.tenantId, rows);
  return { tenantId: session.tenantId, count: rows.length };
};

/** A transaction that stores late values for some time. */
const writer = (tenantId: string, seconds: number) =>
  inTenant(world.app.db, tenantId, async (q) => {
    await shareHours(q, tenantId);
    await sql`select pg_sleep(${seconds})`.execute(q);
  });

it('hours wait for values that are being stored late, and remain to be closed', async () => {
  const { tenantId, count } = await tenantWithValues('waits');
  const late = writer(tenantId, 4);
  await setTimeout(200);
  expect(await closeTurn(world.app, tenantId, turn)).toBe('busy');
  expect(await counted(world, tenantId)).toMatchObject({ closed: 0 });
  await late;
  expect(await closeTurn(world.app, tenantId, turn)).toBe('done');
  expect(await counted(world, tenantId)).toEqual({ hot: 0, closed: count, delays: count });
});

it('values that come late without a break keep no hour from being closed', async () => {
  const { tenantId, count } = await tenantWithValues('storm');
  const ending = new AbortController();
  const writers = [0, 1, 2].map(async (n) => {
    await setTimeout(n * 100);
    while (!ending.signal.aborted) await writer(tenantId, 0.3);
  });
  await setTimeout(300);
  const taken = await closeTurn(world.app, tenantId, turn);
  ending.abort();
  await Promise.all(writers);
  expect(taken).toBe('done');
  expect(await counted(world, tenantId)).toEqual({ hot: 0, closed: count, delays: count });
});
