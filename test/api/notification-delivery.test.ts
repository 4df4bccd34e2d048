import type { ServerResponse } from 'node:http';

import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';

import { claim, deliver } from '../../src/alarm/deliver/deliver.ts';
import { sweepLedger } from '../../src/alarm/ledger/loop.ts';
import type { Database } from '../../src/db/connect.ts';
import { inTenant } from '../../src/db/tenant.ts';
import type { App } from '../../src/kernel/app/app.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { DATA, FAILED, RETRY, SENT, SUCCESS, watch } from '../support/devices/notify.ts';
import { webhookSecret } from '../support/neighbours/delivery.ts';
import {
  hang,
  startWebhookReceiver,
  status,
  type WebhookReceiver,
} from '../support/neighbours/webhook-receiver.ts';
import { startWorld } from '../support/world/app.ts';
import { freshDatabase } from '../support/world/database.ts';
import { eventually } from '../support/world/eventually.ts';
import { otherNode } from '../support/world/other-node.ts';
import { prepared, started } from '../support/world/prepared.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const hook = prepared(startWebhookReceiver);
const other = started(startWebhookReceiver);
const world = prepared(() =>
  startWorld({
    environment: { SVC_EGRESS_ALLOW: `webhook:${hook.hostPort},webhook:${other.hostPort}` },
  }),
);
afterAll(async () => {
  await world?.stop();
  await hook.stop();
});
beforeEach(() => {
  for (const { received, answer } of [hook, other]) {
    received.length = 0;
    answer(status(204));
  }
});

const ids = (receiver: WebhookReceiver) =>
  receiver.received.map(({ headers }) => headers['webhook-id']);

describe('a delivery', () => {
  it('is tried again with growing waits and the same id, until the receiver takes it', async () => {
    const { measure, until } = await watch(world, { channels: [{ target: hook.url }] });
    hook.answer(status(500, 'out of order'));
    await measure(95);
    for (const [retryCount, longest] of [
      [1, 5],
      [2, 10],
      [3, 20],
    ] as const) {
      const [row] = await eventually(
        () => until(RETRY),
        ([found]) => found?.retryCount === retryCount,
      );
      expect(row?.errorMessage).toMatch(/HTTP 500/);
      const wait = Date.parse(row?.nextTryTime ?? '') - world.clock.now();
      expect(wait).toBeLessThanOrEqual(longest * SECOND);
      if (retryCount === 3) hook.answer(status(204));
      world.clock.shift(longest * SECOND);
    }
    const [row] = await until(SUCCESS);
    expect(row).toMatchObject({ retryCount: 3, errorMessage: '', nextTryTime: null });
    expect(ids(hook)).toEqual(Array.from({ length: 4 }, () => row?.deliveryId));
  });

  it('waits as long as the receiver asks', async () => {
    const { measure, until } = await watch(world, { channels: [{ target: hook.url }] });
    hook.answer(status(503, '', { 'retry-after': '600' }));
    await measure(95);
    const [row] = await until(RETRY);
    const wait = Date.parse(row?.nextTryTime ?? '') - world.clock.now();
    expect(wait).toBeGreaterThan(9 * MINUTE);
    hook.answer(status(204));
    world.clock.shift(10 * MINUTE);
    await until(SUCCESS);
  });

  it('fails at once where the receiver refuses it, and for good after the fifth try', async () => {
    const refused = await watch(world, { channels: [{ target: hook.url }] });
    hook.answer(status(410, 'gone'));
    await refused.measure(95);
    expect(await refused.until(FAILED)).toMatchObject([
      { retryCount: 0, errorMessage: expect.stringContaining('HTTP 410'), nextTryTime: null },
    ]);
    const dead = await watch(world, { channels: [{ target: other.url }] });
    other.answer(status(502));
    await dead.measure(95);
    // Not once it has failed: the ledger tries again a minute later.
    await eventually(dead.history, ([row]) => {
      if (row?.statusFlag === RETRY) world.clock.shift(MINUTE);
      return row?.statusFlag === FAILED;
    });
    expect(await dead.history()).toMatchObject([{ retryCount: 4 }]);
    expect(other.received).toHaveLength(5);
  });

  it('ends as failed when its channel was switched off meanwhile', async () => {
    const { measure, until, channelIds } = await watch(world, { channels: [{ target: hook.url }] });
    hook.answer(status(500));
    await measure(95);
    await until(RETRY);
    const off = { id: channelIds[0], enableFlag: 'DISABLE' };
    await world.admin.data(`${DATA}/notify/channel/update`, off);
    world.clock.shift(MINUTE);
    expect(await until(FAILED)).toMatchObject([
      { errorMessage: 'the channel is gone or disabled', responseExt: { status: 'refused' } },
    ]);
  });

  it('that hangs holds up neither another tenant nor another channel', async () => {
    const theirs = await world.tenant(`quick-${process.pid}`);
    hook.answer(hang);
    const slow = await watch(world, { channels: [{ target: hook.url }, { target: other.url }] });
    await slow.measure(95);
    const quick = await watch(world, { channels: [{ target: other.url }] }, theirs);
    await quick.measure(95);
    await quick.until(SUCCESS);
    expect((await slow.until(SENT, SUCCESS)).map(({ statusFlag }) => statusFlag)).toEqual([
      SENT,
      SUCCESS,
    ]);
    // Its next try would reach the tests that follow.
    const off = { id: slow.channelIds[0], enableFlag: 'DISABLE' };
    await world.admin.data(`${DATA}/notify/channel/update`, off);
  });

  it('is made by one of many dispatchers that want it at the same time', async () => {
    const { measure, until } = await watch(world, { channels: [{ target: hook.url }] });
    hook.answer(status(500));
    await measure(95);
    const [row] = await until(RETRY);
    if (!row) throw new Error('no row');
    hook.answer(status(204));
    world.clock.shift(MINUTE);
    const { id, channelId } = row;
    const task = { tenantId: world.admin.tenantId, channelId, id };
    const { signal } = new AbortController();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => deliver(world.app, task, signal)),
    );
    await until(SUCCESS);
    // Nineteen learnt nothing; the platform's own dispatcher may have been the one.
    expect(answers.filter((reached) => reached === null).length).toBeGreaterThanOrEqual(19);
    expect(hook.received).toHaveLength(2);
  });

  it('goes on when its dispatcher died, by the same id', async () => {
    const { tenantId } = world.admin;
    const { measure, until, history } = await watch(world, { channels: [{ target: hook.url }] });
    hook.answer(status(500));
    await measure(95);
    const [row] = await until(RETRY);
    if (!row) throw new Error('no row');
    hook.answer(status(204));
    await inTenant(world.app.db, tenantId, (q) =>
      // As a dispatcher that is heard of no more, a little ahead of the sweeper.
      claim(q, { ...row, tenantId }, world.clock.now() + MINUTE),
    );
    expect(await history()).toMatchObject([{ statusFlag: SENT, retryCount: 1 }]);
    world.clock.shift(2 * MINUTE);
    expect(await until(SUCCESS)).toMatchObject([{ retryCount: 2, deliveryId: row.deliveryId }]);
    expect(ids(hook)).toEqual([row.deliveryId, row.deliveryId]);
  });

  it('is not written any more where a thousand wait already, for that channel alone, and an end always is', async () => {
    const full = await world.tenant(`full-${process.pid}`);
    const channels = [{ target: hook.url }, { target: other.url }];
    const watched = await watch(world, { channels }, full);
    const [crowded, quiet] = watched.channelIds;
    await watched.measure(95);
    await watched.until(SUCCESS, SUCCESS);
    const later = new Date(world.clock.now() + 60 * MINUTE);
    await inTenant(world.app.db, full.tenantId, (q) =>
      sql`insert into svc_notify_history (tenant_id, channel_id, alarm_id, channel_type_flag, next_try_time)
        select ${full.tenantId}, ${crowded}, 1, 2, ${later}
        from generate_series(1, 1000)`.execute(q),
    );
    await watched.measure(20);
    await watched.measure(95);
    const rows = await watched.until(...Array.from({ length: 5 }, () => SUCCESS));
    const told = (id?: string) => rows.filter(({ channelId }) => channelId === id);
    expect(told(crowded).map(({ eventFlag }) => eventFlag)).toEqual(['FIRED', 'RECOVERED']);
    expect(told(quiet).map(({ eventFlag }) => eventFlag)).toEqual(['FIRED', 'RECOVERED', 'FIRED']);
    expect(await watched.state()).toMatchObject({
      entityStateFlag: 1,
      entityStateExt: {
        notified: {
          told: 1,
          suppressed: [{ channelId: crowded, reason: 'TOO_MUCH' }],
        },
      },
    });
    // What goes on is sent when there is room.
    await inTenant(world.app.db, full.tenantId, (q) =>
      sql`update svc_notify_history set status_flag = ${FAILED}, next_try_time = null
        where tenant_id = ${full.tenantId} and alarm_id = 1`.execute(q),
    );
    world.clock.shift(MINUTE);
    await sweepLedger(world.app);
    const all = await watched.until(...Array.from({ length: 6 }, () => SUCCESS));
    expect(all.at(-1)).toMatchObject({ channelId: crowded, eventFlag: 'FIRED' });
  });

  /** A notification that waits for its second try, and dispatchers that are ahead of the platform's own. */
  async function waiting() {
    const watched = await watch(world, { channels: [{ target: hook.url }] });
    hook.answer(status(500));
    await watched.measure(95);
    const [row] = await watched.until(RETRY);
    if (!row) throw new Error('no row');
    const task = { tenantId: world.admin.tenantId, channelId: row.channelId, id: row.id };
    const { signal } = new AbortController();
    const { clock } = world;
    const dispatch = (minutes: number, changes: Partial<App> = {}) => {
      const ahead: Clock = {
        now: () => clock.now() + minutes * MINUTE,
        elapsed: () => clock.elapsed(),
        after: (ms, run) => clock.after(ms, run),
        every: (ms, run) => clock.every(ms, run),
      };
      return deliver(otherNode(world.app, { clock: ahead, ...changes }), task, signal);
    };
    return { ...watched, dispatch };
  }

  it('that was taken is written down as soon as the database is back, and not made again', async () => {
    const { dispatch, until } = await waiting();
    hook.answer(status(204));
    let away = 0;
    const db: Database = {
      ...world.app.db,
      get queries() {
        if (away-- > 0) throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
        return world.app.db.queries;
      },
    };
    const crashAt = (point: string): void => {
      if (point === 'notify-sent') away = 3;
    };
    expect(await dispatch(1, { db, crashAt })).toBe(true);
    await until(SUCCESS);
    expect(hook.received).toHaveLength(2);
  });

  it('that was taken stays so where a second dispatcher was refused meanwhile', async () => {
    const { dispatch, until } = await waiting();
    const asked = Promise.withResolvers<ServerResponse>();
    hook.answer(asked.resolve);
    const first = dispatch(1);
    const response = await asked.promise;
    hook.answer(status(500));
    expect(await dispatch(2)).toBe(false);
    await until(RETRY);
    response.writeHead(204).end();
    expect(await first).toBe(true);
    expect(await until(SUCCESS)).toMatchObject([{ nextTryTime: null, errorMessage: '' }]);
    expect(await dispatch(60)).toBeNull();
    expect(hook.received).toHaveLength(3);
  });

  it('leaves no secret in the history', async () => {
    const { measure, until } = await watch(world, { channels: [{ target: hook.url }] });
    hook.answer((response, { headers, body }) =>
      response.writeHead(400).end(`${webhookSecret} ${JSON.stringify(headers)} ${body}`),
    );
    await measure(95);
    const [row] = await until(FAILED);
    expect(row?.errorMessage).toContain('HTTP 400');
    expect(JSON.stringify(row)).not.toContain(webhookSecret.slice('whsec_'.length));
  });
});

it('that is broken off when the platform stops goes on when it is back, and counts as no try', async () => {
  const database = await freshDatabase();
  const environment = { SVC_EGRESS_ALLOW: `webhook:${hook.hostPort}` };
  const first = await startWorld({ database, environment });
  const { measure, until, ruleId } = await watch(first, { channels: [{ target: hook.url }] });
  hook.answer(hang);
  await measure(95);
  await until(SENT);
  await eventually(
    async () => hook.received.length,
    (count) => count === 1,
  );
  await first.halt();
  hook.answer(status(204));
  const second = await startWorld({ database, environment });
  try {
    const told = await eventually(
      () => second.admin.data(`${DATA}/notify/history/list`, { ruleId }),
      (page) => JSON.stringify(page).includes(`"statusFlag":${SUCCESS}`),
    );
    expect(told).toMatchObject({ total: 1, records: [{ retryCount: 0 }] });
    expect(new Set(ids(hook)).size).toBe(1);
    expect(hook.received).toHaveLength(2);
  } finally {
    await second.stop();
  }
});
