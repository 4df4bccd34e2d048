import { Webhook } from 'standardwebhooks';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { sweepLedger } from '../../src/alarm/ledger/loop.ts';
import { channelTo, DATA, watch } from '../support/devices/notify.ts';
import { webhookSecret } from '../support/neighbours/delivery.ts';
import { startWebhookReceiver, status } from '../support/neighbours/webhook-receiver.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { started } from '../support/world/prepared.ts';

const MINUTE = 60_000;
const hook = started(startWebhookReceiver);
const world = started(() =>
  startWorld({ environment: { SVC_EGRESS_ALLOW: `webhook:${hook.hostPort}` } }),
);

beforeEach(() => {
  hook.received.length = 0;
  hook.answer(status(204));
});

type Sent = {
  channelId: string;
  tenantId?: string;
  secret?: string;
  body?: object | string;
  /** What is signed, where it is not what is sent. */
  signs?: string;
  ageMs?: number;
  headers?: Record<string, string>;
  query?: string;
};

/** An answer as the receiver of a channel sends it. */
async function answer(given: Sent): Promise<{ status: number; message: string }> {
  const { channelId, tenantId = world.admin.tenantId, secret = webhookSecret } = given;
  const { body = {}, ageMs = 0, headers = {}, query = '' } = given;
  const payload = typeof body === 'string' ? body : JSON.stringify(body);
  const at = new Date(world.clock.now() - ageMs);
  const response = await fetch(
    `${world.base}${DATA}/notify/channel/answer?tenantId=${tenantId}&channelId=${channelId}${query}`,
    {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': 'answer-1',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': new Webhook(secret).sign('answer-1', at, given.signs ?? payload),
        ...headers,
      },
      body: payload,
    },
  );
  const { message } = z.looseObject({ message: z.string() }).parse(await response.json());
  return { status: response.status, message };
}

const acknowledged = (alarmId: string) => ({ type: 'alarm.acknowledged', data: { alarmId } });
const reminding = { repeat: { enabled: true, intervalMs: 10 * MINUTE } };

async function fired(step?: object) {
  const pager = { target: hook.url, channelName: fresh('pager') };
  const watched = await watch(world, {
    channels: step ? [pager, { target: hook.url }] : [pager],
    notify: { notifyExt: { content: reminding } },
  });
  const { notifyId } = watched;
  if (step)
    await world.admin.data(`${DATA}/notify/update`, {
      id: notifyId,
      notifyExt: { content: { escalation: [{ ...step, channels: [watched.channelIds[1]] }] } },
    });
  await watched.measure(95);
  const alarmId = (await watched.delivered())[0]?.alarmId ?? '';
  const [channelId = ''] = watched.channelIds;
  return { ...watched, alarmId, channelId };
}
const reportOf = (alarmId: string) =>
  world.admin.data(`${DATA}/dashboard/alert/report`, undefined, { alarmId });
const types = (): string[] => hook.received.map(({ body }) => String(JSON.parse(body).type));
const until = (count: number) =>
  eventually(
    async () => types(),
    (all) => all.length === count,
  );

describe('the answer of a receiver', () => {
  it('stops the reminders of its alarm, is shown as of its channel, and confirms nothing', async () => {
    const { alarmId, channelId, measure } = await fired();
    await until(1);
    world.clock.shift(11 * MINUTE);
    await until(2);
    expect(await answer({ channelId, body: acknowledged(alarmId) })).toMatchObject({ status: 200 });
    const at = expect.stringMatching(/^20.*Z$/);
    const channel = expect.stringContaining('pager');
    expect(await reportOf(alarmId)).toMatchObject({
      confirmed: false,
      state: 'FIRING',
      acknowledged: { channel, at },
      timeline: expect.arrayContaining([
        { at, what: expect.stringMatching(/^acknowledged by the receiver of “pager/) },
      ]),
    });
    const list = await world.admin.data(`${DATA}/dashboard/alert/search`, { state: 'FIRING' });
    expect(JSON.stringify(list)).toContain('"acknowledged":{"channel":"pager');
    for (let count = 0; count < 3; count += 1) {
      world.clock.shift(11 * MINUTE);
      await sweepLedger(world.app);
    }
    await measure(20);
    await until(3);
    expect(types()).toEqual(['alarm.fired', 'alarm.fired', 'alarm.recovered']);
  });

  it('stops the steps of the escalation that are not called yet', async () => {
    const { alarmId, channelId, measure } = await fired({ after: 'PT15M' });
    expect(await answer({ channelId, body: acknowledged(alarmId) })).toMatchObject({ status: 200 });
    world.clock.shift(20 * MINUTE);
    await sweepLedger(world.app);
    await measure(20);
    await until(2);
    expect(types()).toEqual(['alarm.fired', 'alarm.recovered']);
  });

  it('that is repeated changes nothing: the first acknowledgement stays', async () => {
    const { alarmId, channelId } = await fired();
    const body = acknowledged(alarmId);
    expect(await answer({ channelId, body })).toMatchObject({ status: 200 });
    const before = await reportOf(alarmId);
    world.clock.shift(MINUTE);
    expect(await answer({ channelId, body, ageMs: MINUTE })).toMatchObject({ status: 200 });
    expect(await reportOf(alarmId)).toMatchObject({
      acknowledged: z.looseObject({ acknowledged: z.unknown() }).parse(before).acknowledged,
    });
  });

  it('is refused alike for each wrong signature and each channel that none can sign for', async () => {
    const { alarmId, channelId } = await fired();
    const body = acknowledged(alarmId);
    const other = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    const nobody = `whsec_${Buffer.alloc(24).toString('base64')}`;
    const disabled = await channelTo(world.admin, { target: hook.url, enableFlag: 'DISABLE' });
    const chat = await channelTo(world.admin, {
      target: 'https://hooks.example.org',
      credential: 'https://hooks.example.org/services/T0/B0/SECRET',
      channelExt: { content: { kind: 'slack' } },
    });
    const theirs = await world.tenant(fresh('answers'));
    const answers = [
      await answer({ channelId, body, secret: other }),
      await answer({ channelId, body, signs: '{}' }),
      await answer({ channelId, body, ageMs: 5 * MINUTE + 2_000 }),
      await answer({ channelId, body, ageMs: -5 * MINUTE - 2_000 }),
      await answer({ channelId, body, headers: { 'webhook-id': 'answer-2' } }),
      await answer({ channelId, body, headers: { 'webhook-signature': 'v1,AAAA' } }),
      await answer({ channelId, body, headers: { 'webhook-timestamp': 'soon' } }),
      await answer({ channelId: disabled, body }),
      await answer({ channelId: chat, body, secret: nobody }),
      await answer({ channelId: '999999999', body }),
      await answer({ channelId: '999999999', body, secret: nobody }),
      await answer({ channelId, body, tenantId: theirs.tenantId }),
      await answer({ channelId, body, tenantId: '999999999' }),
    ];
    for (const refused of answers)
      expect(refused).toEqual({ status: 401, message: 'The answer is not signed by a channel' });
    expect(await reportOf(alarmId)).toMatchObject({ acknowledged: null });
  });

  it('acknowledges by the signed text alone, and only what its channel got', async () => {
    const { alarmId, channelId } = await fired();
    const elsewhere = await fired();
    // A message of the platform itself that somebody sends back.
    const reflected = { type: 'alarm.fired', data: { alarmId } };
    const query = `&type=alarm.acknowledged&signed=x`;
    expect(await answer({ channelId, body: reflected, query })).toMatchObject({ status: 400 });
    expect(await answer({ channelId, body: '[' })).toMatchObject({ status: 400 });
    const large = { ...acknowledged(alarmId), more: 'x'.repeat(66_000) };
    expect(await answer({ channelId, body: large })).toMatchObject({ status: 413 });
    expect(await answer({ channelId, body: acknowledged(elsewhere.alarmId) })).toMatchObject({
      status: 404,
    });
    expect(await reportOf(alarmId)).toMatchObject({ acknowledged: null });
    expect(await reportOf(elsewhere.alarmId)).toMatchObject({ acknowledged: null });
  });

  it('is one of 300 a minute of its source', async () => {
    const channelId = '999999999';
    let last = 0;
    for (let count = 0; count < 301 && last !== 429; count += 1)
      last = (await answer({ channelId })).status;
    expect(last).toBe(429);
    world.clock.shift(MINUTE);
    expect(await answer({ channelId })).toMatchObject({ status: 401 });
  });
});
