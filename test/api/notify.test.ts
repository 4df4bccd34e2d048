import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { unseal } from '../../src/core/sealed.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { startWorld, type World } from '../support/app.ts';
import { webhookSecret } from '../support/delivery.ts';
import { addTo, channelTo, DATA } from '../support/notify.ts';
import { fresh } from '../support/plant.ts';

const Page = z.object({ total: z.number(), records: z.array(z.looseObject({ id: z.string() })) });

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.stop());

const post = (path: string, body: object) => world.admin.post(`${DATA}/${path}`, body);
const one = (path: string, id: string) =>
  world.admin.data(`${DATA}/${path}/get_by_id`, undefined, { id });
const list = async (path: string, filter: object) =>
  Page.parse(await world.admin.data(`${DATA}/${path}/list`, filter)).records.map(({ id }) => id);

const kinds = [
  ['notify', 'notifyName', {}],
  ['message', 'messageName', {}],
  ['notify/channel', 'channelName', { channelTypeFlag: 0, target: 'operator@example.org' }],
] as const;

describe.each(kinds)('%s', (path, nameField, more) => {
  const code = nameField.replace('Name', 'Code');

  it('is added, answered, found, changed and deleted', async () => {
    const name = fresh('part');
    const id = await addTo(world.admin, path, {
      ...more,
      [nameField]: name,
      [code]: name,
      remark: 'r',
    });
    const added = { ...(path === 'notify/channel' ? more : {}), [nameField]: name, [code]: name };
    expect(await one(path, id)).toMatchObject({ id, ...added, remark: 'r', enableFlag: 'ENABLE' });
    expect(await list(path, { [nameField]: name.slice(1) })).toEqual([id]);
    expect(await list(path, { [code]: name, enableFlag: 'DISABLE' })).toEqual([]);
    const renamed = fresh('other');
    await world.admin.data(`${DATA}/${path}/update`, { id, [nameField]: renamed, enableFlag: 1 });
    expect(await one(path, id)).toMatchObject({
      ...added,
      [nameField]: renamed,
      enableFlag: 'DISABLE',
      operatorName: 'admin',
    });
    await world.admin.data(`${DATA}/${path}/delete`, {}, { id });
    expect((await world.admin.get(`${DATA}/${path}/get_by_id`, { id })).status).toBe(404);
    expect((await post(`${path}/update`, { id, remark: 'x' })).status).toBe(404);
    expect((await post(`${path}/delete`, { id })).status).toBe(404);
  });

  it('409: has a name and a code of its own', async () => {
    const taken = fresh('taken');
    await addTo(world.admin, path, { ...more, [nameField]: taken, [code]: taken });
    const id = await addTo(world.admin, path, { ...more, [nameField]: fresh('free') });
    for (const again of [{ [nameField]: taken }, { [nameField]: fresh('free'), [code]: taken }])
      expect((await post(`${path}/add`, { ...more, ...again })).status).toBe(409);
    expect((await post(`${path}/update`, { id, [nameField]: taken })).status).toBe(409);
  });
});

describe('a policy', () => {
  const notifyExt = (content: object) => ({ notifyName: fresh('policy'), notifyExt: { content } });

  it('keeps what it says, days as numbers, and its interval', async () => {
    const window = {
      timezone: 'Europe/Berlin',
      start: '22:00',
      end: '06:00',
      daysOfWeek: ['monday', 7],
    };
    const id = await addTo(world.admin, 'notify', {
      ...notifyExt({ silence: { windows: [window] }, rateLimit: { intervalMs: 60_000 } }),
      notifyInterval: 300_000,
      autoConfirmFlag: 'MANUAL',
    });
    expect(await one('notify', id)).toMatchObject({
      notifyInterval: 300_000,
      autoConfirmFlag: 'MANUAL',
      notifyExt: {
        content: {
          silence: { enabled: true, windows: [{ ...window, daysOfWeek: [1, 7] }] },
          rateLimit: { intervalMs: 60_000, maxCount: 1 },
        },
      },
    });
  });

  it.each([
    [
      'an unknown time zone',
      { silence: { windows: [{ timezone: 'Mars/Base', start: '22:00', end: '06:00' }] } },
    ],
    ['no time of day', { silence: { windows: [{ start: '25:00', end: '06:00' }] } }],
    ['an interval below zero', { rateLimit: { intervalMs: -1 } }],
    ['what nobody applies: escalation', { escalation: [{ afterMs: 1, messageCode: 'x' }] }],
    ['what nobody applies: a key of its own', { dedup: { enabled: true, key: '{{deviceId}}' } }],
    ['alarms of rules, which name their own policy', { alarmTypes: ['RULE'] }],
  ])('400: refuses %s', async (_what, content) => {
    expect((await post('notify/add', notifyExt(content))).status).toBe(400);
  });

  it('takes the empty forms that clients send', async () => {
    await addTo(
      world.admin,
      'notify',
      notifyExt({ escalation: [], dedup: { enabled: true, key: '' } }),
    );
    await addTo(world.admin, 'notify', { notifyName: fresh('policy'), notifyExt: {} });
  });
});

describe('a message', () => {
  it('400: has templates of text for known channels, and nothing larger than is sent', async () => {
    const add = (templates: unknown) =>
      post('message/add', { messageName: fresh('words'), messageExt: { content: { templates } } });
    const template = { text: 'x' };
    expect((await add([{ channelType: 'EMAIL', payloadType: 'text', template }])).status).toBe(200);
    for (const wrong of [
      { channelType: 'PIGEON', template },
      { channelType: 'WEBHOOK', payloadType: 'CARD', template },
      { channelType: 'EMAIL', template: { text: 'x'.repeat(5_000) } },
      { channelType: 'EMAIL', template: {} },
    ])
      expect((await add([wrong])).status, JSON.stringify(wrong).slice(0, 80)).toBe(400);
  });
});

describe('a channel', () => {
  const stored = async (id: string) => {
    const { tenantId } = world.admin;
    const { credential } = await inTenant(world.app.db, tenantId, (q) =>
      q
        .selectFrom('svc_notify_channel')
        .select('credential')
        .where('tenantId', '=', tenantId)
        .where('id', '=', id)
        .executeTakeFirstOrThrow(),
    );
    const place = { table: 'svc_notify_channel', tenantId, id };
    return credential && unseal(world.app.keys.channelCredential, place, credential);
  };
  const sms = (url: string) => ({
    channelExt: {
      content: {
        url,
        headers: { Authorization: 'Bearer {{credential}}' },
        body: '{"to": "{{to}}", "text": "{{text}}"}',
      },
    },
  });

  it('keeps its secret to itself, sealed for its own row', async () => {
    const id = await channelTo(world.admin, { target: 'https://hooks.example.org/a' });
    const answers = [
      await one('notify/channel', id),
      await world.admin.data(`${DATA}/notify/channel/list`, {}),
    ];
    expect(answers[0]).toMatchObject({ credentialSet: true, channelTypeFlag: 2 });
    expect(JSON.stringify(answers)).not.toContain(webhookSecret.slice(6));
    expect(await stored(id)).toBe(webhookSecret);
    const other = await channelTo(world.admin, { target: 'https://hooks.example.org/b' });
    const { tenantId } = world.admin;
    await inTenant(world.app.db, tenantId, async (q) => {
      const { credential } = await q
        .selectFrom('svc_notify_channel')
        .select('credential')
        .where('tenantId', '=', tenantId)
        .where('id', '=', other)
        .executeTakeFirstOrThrow();
      await q
        .updateTable('svc_notify_channel')
        .set({ credential })
        .where('tenantId', '=', tenantId)
        .where('id', '=', id)
        .execute();
    });
    expect(await stored(id)).toBeNull();
  });

  it('keeps its secret on its host, and loses it to another unless a new one comes along', async () => {
    const telephone = { target: '+4930123456', channelTypeFlag: 'SMS', credential: 'key-of-a' };
    const id = await channelTo(world.admin, { ...telephone, ...sms('https://a.example.org/send') });
    const change = (body: object) =>
      world.admin.data(`${DATA}/notify/channel/update`, { id, ...body });
    await change({ ...sms('https://a.example.org/other'), target: '+4930999999' });
    expect(await stored(id)).toBe('key-of-a');
    await change(sms('https://a.example.org:8443/send'));
    expect(await stored(id)).toBe('');
    expect(await one('notify/channel', id)).toMatchObject({ credentialSet: false });
    await change({ ...sms('https://b.example.org/send'), credential: 'key-of-b' });
    expect(await stored(id)).toBe('key-of-b');
    await change({ credential: '' });
    expect(await stored(id)).toBe('');
    const hook = await channelTo(world.admin, { target: 'https://hooks.example.org/a' });
    const moved = await post('notify/channel/update', {
      id: hook,
      target: 'https://evil.example.org/',
    });
    expect(moved.status).toBe(422);
    expect(await stored(hook)).toBe(webhookSecret);
  });

  it.each([
    ['a mailbox that is none', { channelTypeFlag: 'EMAIL', target: 'nobody' }],
    ['a number that is none', { channelTypeFlag: 'SMS', target: '110' }],
    ['a webhook within the platform', { target: 'http://127.0.0.1:8000/api' }],
    ['a webhook without a secret', { target: 'https://hooks.example.org/', credential: '' }],
    ['a file', { target: 'file:///etc/passwd' }],
  ])('422: refuses %s, when it is added and when it is changed', async (_what, given) => {
    const body = { channelTypeFlag: 'WEBHOOK', credential: webhookSecret, ...given };
    const credential = body.channelTypeFlag === 'WEBHOOK' ? body.credential : '';
    const answer = await post('notify/channel/add', {
      ...body,
      credential,
      channelName: fresh('channel'),
      ...(body.channelTypeFlag === 'SMS' ? sms('https://a.example.org/send') : {}),
    });
    expect(answer.status).toBe(422);
    expect(answer.body.message).not.toBe('');
    if (body.channelTypeFlag !== 'WEBHOOK') return;
    const id = await channelTo(world.admin, { target: 'https://hooks.example.org/a' });
    const changed = await post('notify/channel/update', {
      id,
      target: body.target,
      credential: body.credential,
    });
    expect(changed.status).toBe(422);
  });
});

describe('a bind', () => {
  const pair = async () => ({
    notifyId: await addTo(world.admin, 'notify', { notifyName: fresh('policy') }),
    channelId: await channelTo(world.admin, { target: 'https://hooks.example.org/a' }),
  });

  it('joins a policy and a channel once, and is found by either', async () => {
    const { notifyId, channelId } = await pair();
    const bindExt = { content: { levels: ['P0'], sendRecovery: false } };
    const id = await addTo(world.admin, 'notify/channel/bind', { notifyId, channelId, bindExt });
    expect(await one('notify/channel/bind', id)).toMatchObject({ notifyId, channelId, bindExt });
    expect(await list('notify/channel/bind', { notifyId })).toEqual([id]);
    expect(await list('notify/channel/bind', { channelId })).toEqual([id]);
    expect((await post('notify/channel/bind/add', { notifyId, channelId })).status).toBe(409);
    await world.admin.data(`${DATA}/notify/channel/bind/update`, { id, enableFlag: 'DISABLE' });
    expect(await one('notify/channel/bind', id)).toMatchObject({ enableFlag: 'DISABLE', bindExt });
    const wrong = { id, bindExt: { content: { levels: ['P9'] } } };
    expect((await post('notify/channel/bind/update', wrong)).status).toBe(400);
  });

  it('404: needs both sides', async () => {
    const { notifyId, channelId } = await pair();
    const none = '4611686018427387904';
    for (const given of [
      { notifyId: none, channelId },
      { notifyId, channelId: none },
    ])
      expect((await post('notify/channel/bind/add', given)).status).toBe(404);
  });

  it('409: keeps both sides, as a rule keeps its policy and its message', async () => {
    const { notifyId, channelId } = await pair();
    const messageId = await addTo(world.admin, 'message', { messageName: fresh('words') });
    const bind = await addTo(world.admin, 'notify/channel/bind', { notifyId, channelId });
    const ruleName = fresh('hot');
    const rule = await addTo(world.admin, 'rule', {
      ruleName,
      alarmTargetTypeFlag: 'POINT',
      notifyId,
      messageId,
      ruleExt: { content: { condition: { field: 'calValue', operator: '>', threshold: 90 } } },
    });
    const refusal = async (path: string, id: string) =>
      (await post(`${path}/delete`, { id })).body.message;
    expect(await refusal('notify', notifyId)).toBe(
      `The notify is in use: it still has rule "${ruleName}"`,
    );
    expect(await refusal('message', messageId)).toBe(
      `The message is in use: it still has rule "${ruleName}"`,
    );
    expect(await refusal('notify/channel', channelId)).toBe(
      'The channel is in use: it still has a policy that uses it',
    );
    await world.admin.data(`${DATA}/rule/delete`, { id: rule });
    expect(await refusal('notify', notifyId)).toBe('The notify is in use: it still has a channel');
    await world.admin.data(`${DATA}/notify/channel/bind/delete`, { id: bind });
    for (const [path, id] of [
      ['notify', notifyId],
      ['message', messageId],
      ['notify/channel', channelId],
    ] as const)
      expect((await post(`${path}/delete`, { id })).status, path).toBe(200);
  });
});
