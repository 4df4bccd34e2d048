import { createHash } from 'node:crypto';

import { expect, it } from 'vitest';

import { noteTried } from '../../src/auth/agent/hold.ts';
import { sweepNotices } from '../../src/auth/audit/identity-event.ts';
import { refusalsWritten } from '../../src/auth/audit/refusal.ts';
import { attemptLogin } from '../../src/auth/login/ceiling.ts';
import { loginFailuresWritten } from '../../src/auth/login/failure.ts';
import { BusUnavailable } from '../../src/bus/bus.ts';
import { acrossTenants } from '../../src/db/tenant.ts';
import type { App } from '../../src/kernel/app/app.ts';
import { watch } from '../support/devices/notify.ts';
import { startWebhookReceiver } from '../support/neighbours/webhook-receiver.ts';
import type { Session } from '../support/people/session.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { started } from '../support/world/prepared.ts';

const MINUTE_MS = 60_000;

const hook = started(startWebhookReceiver);
const world = started(() =>
  startWorld({ environment: { SVC_EGRESS_ALLOW: `webhook:${hook.hostPort}` } }),
);

/** A tenant with a policy for account security events. */
async function listening(code: string, content: object = {}): Promise<Session> {
  const session = await world.tenant(code);
  const notifyExt = { content: { alarmTypes: ['IDENTITY'], ...content } };
  await watch(world, { channels: [{ target: hook.url }], notify: { notifyExt } }, session);
  return session;
}

/** What the bus or the database did not take at once is tried again after 30 s. */
const PATIENCE_MS = 45_000;

const received = (words: string) => hook.received.filter(({ body }) => body.includes(words));
const told = (count: number, words: string) =>
  eventually(
    async () => received(words),
    (bodies) => bodies.length === count,
    PATIENCE_MS,
  );

/** The hundredth failure of a login from `source`; the 99 before it would take a minute. */
async function guess(tenant: string, login: string, source: string, app = world.app) {
  const name = JSON.stringify([tenant, login]);
  const nameDigest = createHash('sha256').update(name).digest('base64url');
  const now = new Date(world.clock.now());
  const times = { since: now, lastTime: now, usedTime: now };
  await acrossTenants(world.app.db, 'login', (q) =>
    q
      .insertInto('svc_login_name')
      .values({ nameDigest, failures: 99, ...times })
      .onConflict((on) => on.column('nameDigest').doUpdateSet({ failures: 99, ...times }))
      .execute(),
  );
  await attemptLogin(app, { tenant, login, name, source }, async () => undefined);
  await loginFailuresWritten(app);
}

/** A node whose bus is away. */
const cutOff = (): App => ({
  ...world.app,
  bus: { ...world.app.bus, publish: () => Promise.reject(new BusUnavailable('no broker')) },
});

/** Waits for the queue, which is in order, to be done with what was published before. */
async function decided(tenantId: string): Promise<void> {
  const event = { tenantId, kind: 'AGENT_TRIED', message: 'the last', occurTime: 0 } as const;
  await world.bus.handled('svc.e.identity', event, tenantId);
}

async function sweepLater(app = world.app): Promise<void> {
  world.clock.shift(30_000);
  await sweepNotices(app);
}

it('comes when the bus is back, once: a name that had too many failed logins', async () => {
  await listening('cut');
  await guess('cut', 'cut-admin', '203.0.113.1', cutOff());
  await sweepLater(cutOff());
  expect(received('The login “cut-admin”')).toEqual([]);
  await sweepLater();
  await told(1, '100 failures within a day, the last one from 203.0.113.1.');
  await sweepLater();
  await told(1, 'The login “cut-admin”');
});

it('comes when the bus is back, once: what an agent tried', async () => {
  const { tenantId } = await listening('tried');
  const agent = { tenantId, principalId: '77', principalType: 'USER', name: 'robot' } as const;
  noteTried(cutOff(), agent, 'POST /api/v3/x', '203.0.113.1');
  await refusalsWritten(world.app);
  noteTried(world.app, agent, 'POST /api/v3/x', '203.0.113.1');
  await refusalsWritten(world.app);
  await sweepLater();
  await told(1, 'An agent of the account “robot” asked');
});

it('is for members alone, one a minute and ten an hour of a tenant; the audit has all', async () => {
  const session = await listening('flooded');
  await guess('flooded', 'invented', '198.51.100.1');
  for (let at = 0; at < 12; at += 1) {
    await guess('flooded', 'flooded-admin', `203.0.113.${at}`);
    await guess('flooded', 'flooded-admin', `203.0.114.${at}`);
    world.clock.shift(MINUTE_MS);
  }
  await told(10, 'The login “flooded-admin”');
  expect(received('203.0.114.')).toEqual([]);
  expect(received('invented')).toEqual([]);
  expect(
    await session.data('/api/v3/auth/identity_audit/list', { action: 'THROTTLE', limit: 100 }),
  ).toHaveLength(25);
  world.clock.shift(60 * MINUTE_MS);
  await guess('flooded', 'flooded-admin', '203.0.115.1');
  await told(11, 'The login “flooded-admin”');
});

it('counts for the rate of its policy', async () => {
  const { tenantId: withoutPolicy } = await world.tenant('unlimited');
  await listening('limited', { rateLimit: { intervalMs: 10 * MINUTE_MS, maxCount: 2 } });
  for (let at = 0; at < 4; at += 1) {
    await guess('limited', 'limited-admin', `203.0.113.${at}`);
    await decided(withoutPolicy);
    world.clock.shift(2 * MINUTE_MS);
  }
  await told(2, 'The login “limited-admin”');
  world.clock.shift(10 * MINUTE_MS);
  await guess('limited', 'limited-admin', '203.0.116.1');
  await told(3, 'The login “limited-admin”');
  expect(
    received('limited-admin').filter(({ body }) => /from 203\.0\.113\.[23]\b/.test(body)),
  ).toEqual([]);
});
