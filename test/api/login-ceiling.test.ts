import { createHash } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { loginFailuresWritten } from '../../src/auth/login/failure.ts';
import { generate } from '../../src/auth/login/login.ts';
import { acrossTenants } from '../../src/db/tenant.ts';
import type { App, Caller } from '../../src/kernel/app/app.ts';
import { openSlots } from '../../src/kernel/slot.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { startedWorld } from '../support/world/prepared.ts';

const PASSWORD = testEnvironment.SVC_ADMIN_PASSWORD;
/** A hundred hashes, on a machine that does other work too. */
const TIMEOUT_MS = 300_000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const world = startedWorld();

/** Seconds to wait, or the status, of a login from a source; 200 with a token. */
async function enter(
  {
    tenant,
    name,
    source,
    password = 'wrong',
  }: Record<'tenant' | 'name' | 'source', string> & {
    password?: string;
  },
  app: App = world.app,
): Promise<{ status: number; waitS?: number }> {
  const caller: Caller = {
    tenantId: '0',
    principalId: '0',
    principalType: 'USER',
    name: '',
    via: 'system',
    source,
    permissions: new Set(),
  };
  return generate(app, caller, { tenant, name, salt: 'salt', password }).then(
    () => ({ status: 200 }),
    (error: { status: number; detail?: { retryAfterSeconds: number } }) => ({
      status: error.status,
      ...(error.detail && { waitS: error.detail.retryAfterSeconds }),
    }),
  );
}

/** Statuses of guesses from as many /64 of one /48, ten at a time. */
async function guess(tenant: string, name: string, count: number, first = 0): Promise<number[]> {
  const statuses: number[] = [];
  for (let place = first; place < first + count; place += 10) {
    const places = Array.from(
      { length: Math.min(10, first + count - place) },
      (_, at) => place + at,
    );
    const answers = places.map((at) =>
      enter({ tenant, name, source: `2001:db8:1:${at.toString(16)}::/64` }),
    );
    statuses.push(...(await Promise.all(answers)).map(({ status }) => status));
  }
  return statuses;
}

/** As after so many failures: their hashes would take a minute. */
async function failedBefore(tenant: string, name: string, failures: number): Promise<void> {
  expect(await guess(tenant, name, 1)).toEqual([401]);
  const nameDigest = createHash('sha256')
    .update(JSON.stringify([tenant, name]))
    .digest('base64url');
  const changed = await acrossTenants(world.app.db, 'login', (q) =>
    q
      .updateTable('svc_login_name')
      .set({ failures })
      .where('nameDigest', '=', nameDigest)
      .executeTakeFirst(),
  );
  expect(changed.numUpdatedRows).toBe(1n);
}

/** The same database with nothing in memory: another node, or this one after a restart. */
const otherNode = (): App => ({
  ...world.app,
  of: openSlots(world.clock, world.app.db.engine),
});

describe('150 guesses at one name from 150 sources', () => {
  const HOME = '192.0.2.10';

  it(
    'are answered a hundred times, and alike for a name that does not exist',
    async () => {
      await world.tenant('besieged');
      const known = { tenant: 'besieged', name: 'besieged-admin', password: PASSWORD };
      expect((await enter({ ...known, source: HOME })).status).toBe(200);
      const answers = await guess('besieged', known.name, 150);
      expect(answers.filter((status) => status === 401)).toHaveLength(100);
      expect(answers.slice(100).filter((status) => status === 429)).toHaveLength(50);
      await failedBefore('besieged', 'nobody', 99);
      const unknown = await guess('besieged', 'nobody', 11);
      expect(unknown.filter((status) => status === 401)).toHaveLength(1);
      expect(unknown.filter((status) => status === 429)).toHaveLength(10);
    },
    TIMEOUT_MS,
  );

  it('keep out the right password from a new source, and not from one that is known', async () => {
    const known = { tenant: 'besieged', name: 'besieged-admin', password: PASSWORD };
    for (const app of [world.app, otherNode()]) {
      expect(await enter({ ...known, source: '198.51.100.7' }, app)).toMatchObject({ status: 429 });
      expect((await enter({ ...known, source: HOME }, app)).status).toBe(200);
      expect(await enter({ ...known, source: '198.51.100.7' }, app)).toMatchObject({ status: 429 });
    }
  });

  it('leave a row in the audit log of the tenant', async () => {
    const session = await world.tenant('listening');
    await failedBefore('listening', 'listening-admin', 99);
    await guess('listening', 'listening-admin', 2);
    await loginFailuresWritten(world.app);
    const rows = await session.data('/api/v3/auth/identity_audit/list', { action: 'THROTTLE' });
    expect(rows).toMatchObject([{ resourceName: 'listening-admin', status: 'FAILED' }]);
  });

  it('wait longer with each further failure, and end with the day', async () => {
    await world.tenant('patient');
    const asked = { tenant: 'patient', name: 'patient-admin' };
    await failedBefore(asked.tenant, asked.name, 100);
    const waits: number[] = [];
    for (let place = 0; place < 8; place += 1) {
      const source = `203.0.113.${place}`;
      const { waitS = 0 } = await enter({ ...asked, source });
      waits.push(waitS);
      world.clock.shift(waitS * 1_000);
      expect((await enter({ ...asked, source })).status).toBe(401);
    }
    const expected = [60, 120, 240, 480, 960, 1_920, 3_600, 3_600];
    for (const [at, seconds] of expected.entries())
      expect(Math.abs((waits[at] ?? 0) - seconds)).toBeLessThanOrEqual(10);
    world.clock.shift(DAY_MS);
    const source = '198.51.100.9';
    expect((await enter({ ...asked, source, password: PASSWORD })).status).toBe(200);
  });
});
