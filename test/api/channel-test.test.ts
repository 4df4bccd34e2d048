import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { channelTo, DATA } from '../support/devices/notify.ts';
import { webhookSecret } from '../support/neighbours/delivery.ts';
import { startWebhookReceiver, status, verified } from '../support/neighbours/webhook-receiver.ts';
import { worker } from '../support/people/accounts.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { request } from '../support/people/session.ts';
import { startWorld } from '../support/world/app.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { started } from '../support/world/prepared.ts';

const TEST = `${DATA}/notify/channel/test`;
const PREVIEW = `${DATA}/message/preview`;
const MINUTE_MS = 60_000;

const hook = started(startWebhookReceiver);
const world = started(() =>
  startWorld({ environment: { SVC_EGRESS_ALLOW: `webhook:${hook.hostPort}` } }),
);

beforeEach(() => {
  hook.received.length = 0;
  hook.answer(status(204));
  world.clock.shift(MINUTE_MS + 1);
});

describe('a test of a channel', () => {
  it('is one signed message that says so, and leaves nothing in the history', async () => {
    const id = await channelTo(world.admin, { target: hook.url, channelName: fresh('shift') });
    expect(await world.admin.data(TEST, { id })).toMatchObject({ outcome: 'DELIVERED' });
    expect(hook.received).toHaveLength(1);
    const [message] = hook.received;
    if (!message) throw new Error('nothing came');
    expect(verified(webhookSecret, message)).toMatchObject({
      type: 'channel.test',
      data: { alarmId: '0', text: expect.stringContaining('No alarm fired') },
    });
    expect(await world.admin.data(`${DATA}/notify/history/list`, { channelId: id })).toMatchObject({
      total: 0,
    });
    const logged = z.array(z.looseObject({ action: z.string(), status: z.string() })).parse(
      await world.admin.data('/api/v3/auth/identity_audit/list', {
        resourceType: 'NOTIFY_CHANNEL',
        resourceId: id,
      }),
    );
    expect(logged).toMatchObject([{ action: 'TEST', status: 'SUCCESS' }]);
  });

  it.each([
    [503, 'UNREACHABLE', 'HTTP 503'],
    [410, 'REFUSED', 'HTTP 410'],
  ])('says what the receiver answered: %i', async (code, outcome, why) => {
    hook.answer(status(code));
    const id = await channelTo(world.admin, { target: hook.url });
    expect(await world.admin.data(TEST, { id })).toEqual({
      outcome,
      why: expect.stringContaining(why),
    });
  });

  it('goes out in the form of the kind of its channel, with a URL that no answer shows', async () => {
    const secret = `http://${hook.hostPort}/services/T00000000/B00000000/SECRETSECRET`;
    const given = {
      target: `http://${hook.hostPort}`,
      credential: secret,
      channelExt: { content: { kind: 'slack' } },
    };
    const id = await channelTo(world.admin, given);
    hook.answer(status(404, 'no_service for SECRETSECRET'));
    const refused = await world.admin.data(TEST, { id });
    expect(refused).toEqual({ outcome: 'REFUSED', why: 'HTTP 404 “no_service for ***”' });
    hook.answer(status(200, 'ok'));
    expect(await world.admin.data(TEST, { id })).toMatchObject({ outcome: 'DELIVERED' });
    const [, message] = hook.received;
    expect(message?.path).toBe('/services/T00000000/B00000000/SECRETSECRET');
    expect(JSON.parse(message?.body ?? '')).toMatchObject({
      blocks: [{ type: 'header' }, { type: 'section' }],
    });
    const update = `${DATA}/notify/channel/update`;
    await world.admin.data(update, { id, channelName: fresh('renamed') });
    const answers = [
      await world.admin.data(`${DATA}/notify/channel/get_by_id`, undefined, { id }),
      await world.admin.data(`${DATA}/notify/channel/list`, {}),
      await world.admin.data('/api/v3/auth/identity_audit/list', { resourceId: id }),
    ];
    expect(answers[0]).toMatchObject({ credentialSet: true, channelTypeFlag: 2 });
    expect(JSON.stringify(answers)).not.toContain('SECRETSECRET');
    const inAddress = await world.admin.post(update, { id, target: secret });
    expect(inAddress.status).toBe(422);
    expect(JSON.stringify(inAddress.body)).not.toContain('SECRETSECRET');
    const elsewhere = { id, target: 'https://hooks.example.org' };
    expect((await world.admin.post(update, elsewhere)).status).toBe(422);
  });

  it('goes nowhere without a target, and nowhere that the platform may not go', async () => {
    const none = await channelTo(world.admin, { target: '' });
    expect(await world.admin.data(TEST, { id: none })).toMatchObject({ outcome: 'REFUSED' });
    expect(hook.received).toEqual([]);
  });

  it('takes a person with the right to change channels, of the tenant of the channel', async () => {
    const id = await channelTo(world.admin, { target: hook.url });
    const scope = 'svc:read svc:read-device svc:propose svc:chat';
    const token = await bearerFor(world.admin, { scope, roleCode: 'admin', audience: 'api' });
    const headers = { authorization: `Bearer ${token}` };
    const byToken = await request(world.base, 'POST', TEST, { headers, body: { id } });
    expect(byToken.status).toBe(403);
    const reader = await worker(world.admin, ['svc-center-data:notify_channel:list']);
    expect((await reader.session.post(TEST, { id })).status).toBe(403);
    const theirs = await world.tenant(fresh('channels'));
    expect((await theirs.post(TEST, { id })).status).toBe(404);
    expect(hook.received).toEqual([]);
  });

  it('is refused from the seventh in a minute, for this tenant alone', async () => {
    const id = await channelTo(world.admin, { target: hook.url });
    for (let count = 0; count < 6; count += 1)
      expect((await world.admin.post(TEST, { id })).status).toBe(200);
    const { status: code, headers } = await world.admin.post(TEST, { id });
    expect(code).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(hook.received).toHaveLength(6);
    const other = await world.tenant(fresh('channels'));
    const theirs = await channelTo(other, { target: hook.url });
    expect((await other.post(TEST, { id: theirs })).status).toBe(200);
    world.clock.shift(MINUTE_MS);
    expect((await world.admin.post(TEST, { id })).status).toBe(200);
  });
});

describe('a preview of a template', () => {
  it('is filled with an example alarm, and says which placeholders nothing fills', async () => {
    const given = { title: '{{level}}: {{ deviceName }}', text: '{{message}}\n{{colour}}' };
    expect(await world.admin.data(PREVIEW, given)).toMatchObject({
      title: 'P1: Boiler 2',
      text: expect.stringMatching(/^“Boiler too hot”.*\n\{\{colour\}\}$/),
      missing: ['colour'],
      variables: { deviceName: 'Boiler 2', calValue: '84', event: 'fired' },
    });
    expect(
      await world.admin.data(PREVIEW, { text: '{{event}}', event: 'RECOVERED' }),
    ).toMatchObject({ text: 'recovered', title: '[P1] Boiler too hot' });
  });

  it('takes all templates of a message: the one that fits is filled, else the words of the platform', async () => {
    const templates = [
      { channelType: 'WEBHOOK', template: { title: 'any' } },
      { channelType: 'WEBHOOK', event: 'REMINDER', template: { title: '{{alarmReminder}}. time' } },
      { channelType: 'WEBHOOK', kind: 'slack', template: { title: 'chat' } },
    ];
    const titleOf = async (given: object) => {
      const answer = await world.admin.data(PREVIEW, { templates, ...given });
      return z.object({ title: z.string() }).parse(answer).title;
    };
    const channelType = 'WEBHOOK';
    expect(await titleOf({ channelType })).toBe('any');
    expect(await titleOf({ channelType, kind: 'slack', event: 'REMINDER' })).toBe('chat');
    expect(await titleOf({ channelType, kind: 'ntfy', event: 'REMINDER' })).toBe('2. time');
    const events = ['FIRED', 'REMINDER', 'RECOVERED'];
    expect(await Promise.all(events.map((event) => titleOf({ event })))).toEqual([
      '[P1] "Boiler too hot" fired',
      '[P1] still firing: "Boiler too hot"',
      '[P1] "Boiler too hot" recovered',
    ]);
  });

  it('is refused beyond the length of a template', async () => {
    expect((await world.admin.post(PREVIEW, { text: 'x'.repeat(4_001) })).status).toBe(400);
    expect((await world.admin.post(PREVIEW, { channelType: 'PIGEON' })).status).toBe(400);
    expect((await world.admin.post(PREVIEW, { templates: [{}] })).status).toBe(400);
  });
});
