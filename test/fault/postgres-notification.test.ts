import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';

import { claim, settle } from '../../src/alarm/deliver/deliver.ts';
import { sweepLedger } from '../../src/alarm/ledger/loop.ts';
import type { Queries } from '../../src/db/connect.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { DATA, watch } from '../support/devices/notify.ts';
import { webhookSecret } from '../support/neighbours/delivery.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { started } from '../support/world/prepared.ts';
import { HeldClock } from '../support/world/shifted-clock.ts';

const clock = new HeldClock();
const world = started(() => startWorld({ clock }));

/** Whether another transaction waits for this one. */
async function isWaitedFor(q: Queries): Promise<boolean> {
  const { rows } = await sql`select from pg_locks
    where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`.execute(q);
  return rows.length > 0;
}

it('an alarm that is over while a dispatcher claims its message is reported as over after it', async () => {
  const { app, admin } = world;
  const { tenantId } = admin;
  const watched = await watch(world, { channels: [{ target: 'https://pager.example.org/a' }] });
  clock.hold();
  const quiet = app.bus.publish;
  app.bus.publish = async () => {};
  await watched.measure(95);
  const [message] = await watched.history();
  if (!message) throw new Error('no message');
  const over = Promise.withResolvers<void>();
  const claimed = await inTenant(app.db, tenantId, async (q) => {
    const task = { tenantId, channelId: message.channelId, id: message.id };
    const taken = await claim(q, task, clock.now());
    void watched.measure(20).then(over.resolve, over.reject);
    await eventually(
      () => isWaitedFor(q),
      (waits) => waits,
    );
    return taken;
  });
  await over.promise;
  if (!claimed) throw new Error('not claimed');
  await settle(
    app,
    claimed,
    { status: 'delivered', answer: '' },
    { status: 'SUCCESS', retryCount: 0, nextTry: null },
  );
  await sweepLedger(app);
  app.bus.publish = quiet;
  expect((await watched.history()).map(({ eventFlag }) => eventFlag)).toEqual([
    'FIRED',
    'RECOVERED',
  ]);
});

it('an answer of a receiver takes the rows of its alarm in the order of the ledger', async () => {
  const { app, admin } = world;
  const target = 'https://pager.example.org/a';
  const watched = await watch(world, { channels: [{ target }, { target }] });
  await watched.measure(95);
  const alarmId = (await watched.history())[0]?.alarmId ?? '';
  const [first, second = ''] = watched.channelIds;
  const lock = (q: Queries, channelId: string | undefined) =>
    sql`select from svc_notify_ledger where alarm_id = ${alarmId} and channel_id = ${channelId} for update`.execute(
      q,
    );
  const answered = await inTenant(app.db, admin.tenantId, async (q) => {
    await lock(q, first);
    const answering = answer(second, alarmId);
    await eventually(
      () => isWaitedFor(q),
      (waits) => waits,
    );
    await lock(q, second);
    return { answering };
  });
  expect(await answered.answering).toBe(200);
});

async function answer(channelId: string, alarmId: string): Promise<number> {
  const body = JSON.stringify({ type: 'alarm.acknowledged', data: { alarmId } });
  const at = new Date(clock.now());
  const response = await fetch(
    `${world.base}${DATA}/notify/channel/answer?tenantId=${world.admin.tenantId}&channelId=${channelId}`,
    {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': 'answer-1',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': new Webhook(webhookSecret).sign('answer-1', at, body),
      },
      body,
    },
  );
  return response.status;
}

it('a policy cannot name a channel whose bind is being removed', async () => {
  const { app, admin } = world;
  const watched = await watch(world, { channels: [{ target: 'https://pager.example.org/a' }] });
  const { notifyId: id, channelIds } = watched;
  const escalation = [{ channels: channelIds, afterMs: 60_000 }];
  const changed = await inTenant(app.db, admin.tenantId, async (q) => {
    await sql`delete from svc_notify_channel_bind where notify_id = ${id}`.execute(q);
    const changing = admin.post(`${DATA}/notify/update`, {
      id,
      notifyExt: { content: { escalation } },
    });
    await Promise.race([
      changing,
      eventually(
        () => isWaitedFor(q),
        (waits) => waits,
      ),
    ]);
    return { changing };
  });
  expect((await changed.changing).status).toBe(422);
});
