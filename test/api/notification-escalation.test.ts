import { randomUUID } from 'node:crypto';

import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { sweepLedger } from '../../src/alarm/ledger/loop.ts';
import { unnotifiedIn } from '../../src/alarm/ledger/unnotified.ts';
import { CommandStatus, CommandType } from '../../src/data/command/state.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { addTo, DATA, FAILED, SUCCESS, watch } from '../support/devices/notify.ts';
import {
  startWebhookReceiver,
  status,
  type WebhookReceiver,
} from '../support/neighbours/webhook-receiver.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';

const MINUTE = 60_000;

let world: World;
let first: WebhookReceiver;
let second: WebhookReceiver;
beforeAll(async () => {
  first = await startWebhookReceiver();
  second = await startWebhookReceiver();
  const allowed = `webhook:${first.hostPort},webhook:${second.hostPort}`;
  world = await startWorld({ environment: { SVC_EGRESS_ALLOW: allowed } });
});
afterAll(async () => {
  await world?.stop();
  await first.stop();
  await second.stop();
});
beforeEach(() => {
  for (const receiver of [first, second]) {
    receiver.received.length = 0;
    receiver.answer(status(204));
  }
});

const Binds = z.object({ records: z.array(z.object({ id: z.string() })) });
const taken = ({ received }: WebhookReceiver): string[] =>
  received.map(({ body }) => String(JSON.parse(body).type));
const gets = (receiver: WebhookReceiver, ...types: string[]): Promise<unknown> =>
  eventually(
    async () => taken(receiver),
    (all) => JSON.stringify(all) === JSON.stringify(types),
  );

/** Two channels; the second is in this step. */
async function escalating(step: object) {
  const watched = await watch(world, { channels: [{ target: first.url }, { target: second.url }] });
  const escalation = [{ channels: [watched.channelIds[1]], ...step }];
  const { notifyId } = watched;
  await world.admin.data(`${DATA}/notify/update`, {
    id: notifyId,
    notifyExt: { content: { escalation } },
  });
  return watched;
}
const decide = async (watched: Awaited<ReturnType<typeof watch>>, verb: string) => {
  const { alarmId = '' } = (await watched.state()) ?? {};
  await world.admin.data(`${DATA}/dashboard/alert/${verb}?source=point&id=${alarmId}`, {});
};
const missed = () =>
  inTenant(world.app.db, world.admin.tenantId, (q) =>
    unnotifiedIn(q, world.admin.tenantId, world.clock.now()),
  );

describe('a step of escalation', () => {
  it('calls its channel when the alarm fires unconfirmed for so long, and it gets the end', async () => {
    const watched = await escalating({ after: 'PT10M' });
    await watched.measure(95);
    await gets(first, 'alarm.fired');
    world.clock.shift(9 * MINUTE);
    await sweepLedger(world.app);
    expect(taken(second)).toEqual([]);
    expect(await missed()).toEqual([]);
    world.clock.shift(MINUTE);
    await gets(second, 'alarm.fired');
    await watched.delivered();
    await watched.measure(20);
    await gets(first, 'alarm.fired', 'alarm.recovered');
    await gets(second, 'alarm.fired', 'alarm.recovered');
  });

  it('calls nobody of an alarm that is confirmed or over before', async () => {
    const watched = await escalating({ afterMs: 10 * MINUTE });
    await watched.measure(95);
    await gets(first, 'alarm.fired');
    await watched.until(SUCCESS);
    await decide(watched, 'confirm');
    world.clock.shift(20 * MINUTE);
    await sweepLedger(world.app);
    expect(await watched.history()).toHaveLength(1);
    await decide(watched, 'unconfirm');
    await gets(second, 'alarm.fired');
    await watched.delivered();
    await watched.measure(20);
    await watched.until(SUCCESS, SUCCESS, SUCCESS, SUCCESS);
    await watched.measure(95);
    await watched.until(SUCCESS, SUCCESS, SUCCESS, SUCCESS, SUCCESS);
    await watched.measure(20);
    world.clock.shift(20 * MINUTE);
    await sweepLedger(world.app);
    await watched.until(SUCCESS, SUCCESS, SUCCESS, SUCCESS, SUCCESS, SUCCESS);
    expect(taken(second)).toEqual(['alarm.fired', 'alarm.recovered']);
  });

  it.each([
    ['a maintenance', 60],
    ['a maintenance that ends sooner', 30],
    ['a silent window of the policy', 60],
  ])('counts from the end of %s, in which it passed', async (what, minutes) => {
    const watched = await escalating({ after: 'PT10M' });
    const { deviceId } = watched.plant;
    const time = (ms: number) => new Date(world.clock.now() + ms).toISOString();
    const end = time(60 * MINUTE);
    const isSilent = what.includes('window');
    const maintenance = { maintenanceName: what, scopeFlag: 'DEVICE', entityIds: [deviceId] };
    const id = isSilent
      ? ''
      : await addTo(world.admin, 'maintenance', { ...maintenance, endTime: end });
    if (isSilent) {
      const window = { start: time(-60 * MINUTE).slice(11, 19), end: end.slice(11, 19) };
      const escalation = [{ channels: [watched.channelIds[1]], after: 'PT10M' }];
      await world.admin.data(`${DATA}/notify/update`, {
        id: watched.notifyId,
        notifyExt: { content: { escalation, silence: { windows: [window] } } },
      });
    }
    await watched.measure(95);
    world.clock.shift(minutes * MINUTE);
    if (minutes === 30) await world.admin.data(`${DATA}/maintenance/end`, { id });
    world.clock.shift(1_000);
    await sweepLedger(world.app);
    await gets(first, 'alarm.fired');
    await watched.delivered();
    world.clock.shift(8 * MINUTE);
    await sweepLedger(world.app);
    expect(await watched.history()).toHaveLength(1);
    world.clock.shift(2 * MINUTE);
    await gets(second, 'alarm.fired');
    const [, called] = await watched.history();
    expect(called?.requestExt.text).toContain('Escalation step 1: not confirmed for 10 min');
  });

  it('waits while a write to the device runs, where its policy says so', async () => {
    const watched = await escalating({ after: 'PT10M' });
    const escalation = [{ channels: [watched.channelIds[1]], after: 'PT10M' }];
    await world.admin.data(`${DATA}/notify/update`, {
      id: watched.notifyId,
      notifyExt: { content: { escalation, pauseWhileActing: true } },
    });
    await watched.measure(95);
    await gets(first, 'alarm.fired');
    world.clock.shift(9 * MINUTE);
    const { tenantId } = world.admin;
    const { deviceId, temperature: pointId } = watched.plant;
    const [occurTime, expireTime] = [0, MINUTE].map((ms) => new Date(world.clock.now() + ms));
    const write = { type: CommandType.WRITE, status: CommandStatus.SENT, requestValue: '20' };
    const commandId = randomUUID();
    await inTenant(world.app.db, tenantId, (q) =>
      sql`insert into svc_point_command_history
          (command_id, tenant_id, type, device_id, point_id, status, request_value, occur_time, expire_time)
        values (${commandId}, ${tenantId}, ${write.type}, ${deviceId}, ${pointId}, ${write.status},
          ${write.requestValue}, ${occurTime}, ${expireTime})`.execute(q),
    );
    world.clock.shift(2 * MINUTE);
    await sweepLedger(world.app);
    expect(await watched.history()).toHaveLength(1);
    await inTenant(world.app.db, tenantId, (q) =>
      sql`update svc_point_command_history set status = ${CommandStatus.SUCCESS}
        where command_id = ${commandId}`.execute(q),
    );
    world.clock.shift(11_000);
    await gets(second, 'alarm.fired');
  });

  it('calls its channel as soon as those before it could not be reached', async () => {
    first.answer(status(503));
    const watched = await escalating({ onFailure: true });
    await watched.measure(95);
    for (const [tries, wait] of [
      [1, 5],
      [2, 10],
      [3, 20],
      [4, 40],
    ] as const) {
      await eventually(watched.history, ([row]) => row?.retryCount === tries);
      expect(taken(second)).toEqual([]);
      world.clock.shift(wait * 1_000);
    }
    await gets(second, 'alarm.fired');
    const [failed] = await watched.until(FAILED, SUCCESS);
    expect(failed?.channelId).toBe(watched.channelIds[0]);
    await watched.measure(20);
    await gets(second, 'alarm.fired', 'alarm.recovered');
  });

  it('is by a rota: who is not on call gets the alarm when that begins', async () => {
    const hour = (at: number) => {
      const now = new Date(world.clock.now()).getUTCHours();
      return `${String((now + at + 24) % 24).padStart(2, '0')}:00`;
    };
    const later = { onCall: { windows: [{ start: hour(1), end: hour(3) }] } };
    const watched = await watch(world, {
      channels: [{ target: first.url }, { target: second.url, bindExt: later }],
    });
    await watched.measure(95);
    await gets(first, 'alarm.fired');
    await sweepLedger(world.app);
    expect(taken(second)).toEqual([]);
    expect(await missed()).toEqual([]);
    world.clock.shift(60 * MINUTE);
    await gets(second, 'alarm.fired');
    await watched.delivered();
    await watched.measure(20);
    const bindOf = async (channelId: string | undefined) => {
      const of = { notifyId: watched.notifyId, channelId };
      const path = `${DATA}/notify/channel/bind/list`;
      return Binds.parse(await world.admin.data(path, of)).records[0]?.id;
    };
    const id = await bindOf(watched.channelIds[0]);
    const never = { onCall: { windows: [{ start: hour(-2), end: hour(-1) }] } };
    for (const bind of [id, await bindOf(watched.channelIds[1])])
      await world.admin.data(`${DATA}/notify/channel/bind/update`, {
        id: bind,
        bindExt: { content: never },
      });
    await watched.measure(95);
    await gets(first, 'alarm.fired', 'alarm.recovered', 'alarm.fired');
    const { requestExt } = (await watched.history()).at(-1) ?? {};
    expect(requestExt?.text).toContain('No channel is on call');
  });

  it('names channels of its policy alone, which stay bound to it', async () => {
    const watched = await escalating({ afterMs: 0 });
    const content = (channels: unknown[]) => ({
      notifyExt: { content: { escalation: [{ channels, afterMs: 0 }] } },
    });
    const post = (path: string, body: object) => world.admin.post(`${DATA}/${path}`, body);
    const { notifyId: id, channelIds } = watched;
    const wrong = await post('notify/update', { id, ...content(['999999999']) });
    expect(wrong.status).toBe(422);
    const unbound = { notifyName: 'unbound', ...content([channelIds[1]]) };
    expect((await post('notify/add', unbound)).status).toBe(422);
    const bind = { notifyId: id, channelId: channelIds[1] };
    const { records } = Binds.parse(
      await world.admin.data(`${DATA}/notify/channel/bind/list`, bind),
    );
    const remove = { id: records[0]?.id };
    expect((await post('notify/channel/bind/delete', remove)).status).toBe(409);
    await world.admin.data(`${DATA}/notify/update`, {
      id,
      notifyExt: { content: { escalation: [] } },
    });
    await world.admin.data(`${DATA}/notify/channel/bind/delete`, remove);
  });
});
