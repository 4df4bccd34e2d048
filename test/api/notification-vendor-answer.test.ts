import { createHmac } from 'node:crypto';

import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { sweepLedger } from '../../src/alarm/ledger/loop.ts';
import { channelTo, DATA, watch } from '../support/devices/notify.ts';
import { alert, incident as incidentAt, integration } from '../support/formats/pager-bodies.ts';
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
  hook.answer(status(202));
});

const SECRET = 'secret-of-the-subscription-4711';
const incident = (
  key: string,
  { ageMs = 0, ...given }: { ageMs?: number; [field: string]: unknown } = {},
) => incidentAt(key, world.clock.now() - ageMs, given);

const signature = (body: string, secret = SECRET) =>
  `v1=${createHmac('sha256', secret).update(body).digest('hex')}`;

async function send(
  channelId: string,
  body: object | string,
  headers: Record<string, string> = {},
) {
  const payload = typeof body === 'string' ? body : JSON.stringify(body);
  const { tenantId } = world.admin;
  const response = await fetch(
    `${world.base}${DATA}/notify/channel/answer?tenantId=${tenantId}&channelId=${channelId}`,
    {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-webhook-id': 'cf8a2d0c-3f0a-4e8d-a25c-4bf4f5d9f1c1',
        'x-pagerduty-signature': signature(payload),
        'x-answer-secret': SECRET,
        ...headers,
      },
      body: payload,
    },
  );
  return response.status;
}

type Kind = 'pagerduty' | 'opsgenie';
const bodyOf = { pagerduty: (key: string) => incident(key), opsgenie: (key: string) => alert(key) };

const credential = '0123456789abcdef0123456789abcdef';
const pager = (kind: Kind) => ({
  target: `http://${hook.hostPort}`,
  channelName: fresh('pager'),
  credential,
  answerSecret: SECRET,
  channelExt: { content: { kind } },
});

/** An alarm that fires at a pager and at another channel, which is reminded; a third is a step later. */
async function fired(kind: Kind) {
  const watched = await watch(world, {
    channels: [pager(kind), { target: `${hook.url}/other` }, { target: `${hook.url}/step` }],
    notify: { notifyExt: { content: { repeat: { enabled: true, intervalMs: 10 * MINUTE } } } },
  });
  const [channelId = '', , step] = watched.channelIds;
  await world.admin.data(`${DATA}/notify/update`, {
    id: watched.notifyId,
    notifyExt: {
      content: {
        repeat: { enabled: true, intervalMs: 10 * MINUTE },
        escalation: [{ after: 'PT15M', channels: [step] }],
      },
    },
  });
  await watched.measure(95);
  const alarmId = (await watched.delivered())[0]?.alarmId ?? '';
  return { ...watched, channelId, alarmId, key: `alarm-${alarmId}` };
}

const reportOf = async (alarmId: string) =>
  z
    .looseObject({ acknowledged: z.object({ channel: z.string(), at: z.string() }).nullable() })
    .parse(await world.admin.data(`${DATA}/dashboard/alert/report`, undefined, { alarmId }));
const until = (count: number) =>
  eventually(
    async () => hook.received.length,
    (length) => length === count,
  );

describe('the answer of a vendor', () => {
  it.each(['pagerduty', 'opsgenie'] as const)(
    '%s stops the reminders and steps of the other channels, and confirms nothing',
    async (kind) => {
      const { alarmId, channelId, key, measure } = await fired(kind);
      await until(2);
      expect(await send(channelId, bodyOf[kind](key))).toBe(200);
      expect(await reportOf(alarmId)).toMatchObject({
        confirmed: false,
        state: 'FIRING',
        acknowledged: { channel: expect.stringContaining('pager') },
        timeline: expect.arrayContaining([
          expect.objectContaining({
            what: expect.stringMatching(/^acknowledged by the receiver of “pager/),
          }),
        ]),
      });
      for (let count = 0; count < 3; count += 1) {
        world.clock.shift(11 * MINUTE);
        await sweepLedger(world.app);
      }
      await measure(20);
      await until(4);
      expect(
        hook.received.map(({ path }) => path).filter((path) => path.endsWith('/step')),
      ).toEqual([]);
    },
  );

  it.each(['pagerduty', 'opsgenie'] as const)(
    '%s is refused alike without its secret',
    async (kind) => {
      const { alarmId, channelId, key } = await fired(kind);
      const body = bodyOf[kind](key);
      const without = await channelTo(world.admin, { ...pager(kind), answerSecret: '' });
      const none = { 'x-pagerduty-signature': '', 'x-answer-secret': '' };
      const ofNone = {
        'x-pagerduty-signature': signature(JSON.stringify(body), '0'.repeat(64)),
        'x-answer-secret': '0'.repeat(64),
      };
      const other = { 'x-pagerduty-signature': signature('{}'), 'x-answer-secret': `${SECRET}.` };
      const given = [
        await send(channelId, body, none),
        await send(channelId, body, ofNone),
        await send(channelId, body, other),
        await send(without, body, none),
        await send(without, body, ofNone),
        await send(without, body),
      ];
      expect(given).toEqual(Array.from({ length: given.length }, () => 401));
      expect(await reportOf(alarmId)).toMatchObject({ acknowledged: null });
      expect(await send(channelId, '{}')).toBe(400);
    },
  );

  it('pagerduty takes one of the signatures of two secrets', async () => {
    const { alarmId, channelId, key } = await fired('pagerduty');
    const body = JSON.stringify(incident(key, { event_type: 'incident.resolved' }));
    const both = `${signature(body, 'secret-that-is-replaced-soon')},${signature(body)}`;
    expect(await send(channelId, body, { 'x-pagerduty-signature': both })).toBe(200);
    expect(await reportOf(alarmId)).toMatchObject({ acknowledged: { at: expect.any(String) } });
  });

  it('pagerduty is refused with more than ten signatures, also if one is right', async () => {
    const { alarmId, channelId, key } = await fired('pagerduty');
    const body = JSON.stringify(incident(key));
    const among = (count: number) =>
      [signature(body), ...Array.from({ length: count - 1 }, () => 'v1=a')].join(',');
    expect(await send(channelId, body, { 'x-pagerduty-signature': among(11) })).toBe(401);
    expect(await reportOf(alarmId)).toMatchObject({ acknowledged: null });
    expect(await send(channelId, body, { 'x-pagerduty-signature': among(10) })).toBe(200);
  });

  it('that acknowledges nothing changes nothing, and is no error', async () => {
    const { alarmId, channelId, key } = await fired('pagerduty');
    for (const body of [
      incident(key, { event_type: 'incident.triggered' }),
      incident(key, { event_type: 'incident.unacknowledged' }),
      incident(key, { agent: integration }),
      incident(key, { event_type: 'incident.resolved', agent: null }),
      incident(key, { ageMs: 31 * MINUTE }),
      incident(key, { ageMs: -6 * MINUTE }),
      incident('d3640fbd41094207a1c11e58e46b1662'),
      incident('alarm-999999999999'),
      incident('alarm-99999999999999999999999'),
    ])
      expect(await send(channelId, body)).toBe(200);
    const elsewhere = await fired('opsgenie');
    expect(await send(channelId, incident(elsewhere.key))).toBe(200);
    expect(await send(elsewhere.channelId, alert(elsewhere.key, 'Close'))).toBe(200);
    expect(await send(elsewhere.channelId, alert(elsewhere.key, 'UnAcknowledge'))).toBe(200);
    expect(await reportOf(alarmId)).toMatchObject({ acknowledged: null });
    expect(await reportOf(elsewhere.alarmId)).toMatchObject({ acknowledged: null });
  });

  it('that is repeated changes nothing, and neither does the echo of a confirmation or an end', async () => {
    const first = await fired('pagerduty');
    expect(await send(first.channelId, incident(first.key))).toBe(200);
    const before = await reportOf(first.alarmId);
    world.clock.shift(MINUTE);
    expect(await send(first.channelId, incident(first.key, { ageMs: MINUTE }))).toBe(200);
    expect((await reportOf(first.alarmId)).acknowledged).toEqual(before.acknowledged);

    const confirmed = await fired('opsgenie');
    await world.admin.data(
      `${DATA}/dashboard/alert/confirm?source=point&id=${confirmed.alarmId}`,
      {},
    );
    expect(await send(confirmed.channelId, alert(confirmed.key))).toBe(200);
    expect(await reportOf(confirmed.alarmId)).toMatchObject({ acknowledged: null });

    const over = await fired('pagerduty');
    await over.measure(20);
    await over.delivered();
    expect(
      await send(over.channelId, incident(over.key, { event_type: 'incident.resolved' })),
    ).toBe(200);
    expect(await reportOf(over.alarmId)).toMatchObject({ acknowledged: null });
  });

  it('is read up to the size that PagerDuty keeps to', async () => {
    const { alarmId, channelId, key } = await fired('pagerduty');
    const large = { ...incident(key), more: 'x'.repeat(54_000) };
    expect(await send(channelId, large)).toBe(200);
    expect(await reportOf(alarmId)).toMatchObject({ acknowledged: { at: expect.any(String) } });
  });
});

describe('the secret of answers', () => {
  const change = (id: string, body: object) =>
    world.admin.post(`${DATA}/notify/channel/update`, { id, ...body });
  const one = (id: string) =>
    world.admin.data(`${DATA}/notify/channel/get_by_id`, undefined, { id });

  it('is sealed, in no answer and in no change, and is taken away with an empty one', async () => {
    const id = await channelTo(world.admin, pager('pagerduty'));
    expect(await one(id)).toMatchObject({ answerSecretSet: true });
    await change(id, { answerSecret: `${SECRET}-2` });
    const { stored } = await world.admin
      .data(`${DATA}/change/list`, { limit: 50 })
      .then((changes) => ({ stored: JSON.stringify(changes) }));
    expect(stored).toContain('answer_secret');
    expect(stored).not.toMatch(/secret-of-the|enc:v1/);
    expect(JSON.stringify(await one(id))).not.toMatch(/secret-of-the|enc:v1/);
    await change(id, { answerSecret: '' });
    expect(await one(id)).toMatchObject({ answerSecretSet: false, credentialSet: true });
  });

  it('is taken away with the kind whose service sends it', async () => {
    const id = await channelTo(world.admin, pager('pagerduty'));
    const content = (kind: string, headers = {}) => ({
      channelExt: { content: { kind, headers } },
    });
    await change(id, { ...content('pagerduty', { 'x-plant': '4' }), credential });
    expect(await one(id)).toMatchObject({ answerSecretSet: true, credentialSet: true });
    expect(await change(id, { ...content('opsgenie'), credential })).toMatchObject({ status: 200 });
    expect(await one(id)).toMatchObject({ answerSecretSet: false, credentialSet: true });
    await change(id, { ...content('pagerduty'), credential, answerSecret: SECRET });
    expect(await one(id)).toMatchObject({ answerSecretSet: true });
    const slack = 'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXX';
    await change(id, { ...content('slack'), target: 'https://hooks.slack.com', credential: slack });
    expect(await one(id)).toMatchObject({ answerSecretSet: false, credentialSet: true });
  });

  it('is of the kinds whose answers are heard', async () => {
    const slack = {
      target: 'https://hooks.slack.com',
      credential: 'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXX',
      channelExt: { content: { kind: 'slack' } },
    };
    const add = (body: object) =>
      world.admin.post(`${DATA}/notify/channel/add`, {
        channelName: fresh('channel'),
        channelTypeFlag: 'WEBHOOK',
        ...body,
      });
    expect((await add({ ...slack, answerSecret: SECRET })).status).toBe(422);
    expect((await add({ ...pager('opsgenie'), answerSecret: 'short' })).status).toBe(400);
    const mail = { channelTypeFlag: 'EMAIL', target: 'a@plant.example', answerSecret: SECRET };
    expect((await add(mail)).status).toBe(422);
    const id = await channelTo(world.admin, slack);
    expect((await change(id, { answerSecret: SECRET })).status).toBe(422);
  });
});
