import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { addTo, channelTo, DATA } from '../support/devices/notify.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

const Page = z.object({ total: z.number(), records: z.array(z.looseObject({ id: z.string() })) });

const world = startedWorld();

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
    ['a step of escalation without channels', { escalation: [{ afterMs: 1, messageCode: 'x' }] }],
    ['a step without a time', { escalation: [{ channels: ['1'] }] }],
    ['a step with two times', { escalation: [{ channels: ['1'], afterMs: 1, after: 'PT1S' }] }],
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

  it('takes the default bodies of the existing web client', async () => {
    const content = {
      dedup: { enabled: true, key: '{{ruleId}}:{{entityId}}' },
      rateLimit: { intervalMs: 60_000, maxCount: 10 },
      silence: { enabled: false, windows: [] },
      repeat: { enabled: false, intervalMs: 3_600_000, maxTimes: 3 },
      recovery: { enabled: true, sendRecoveryMessage: true, autoConfirmOnRecovery: false },
      escalation: [],
    };
    expect((await post('notify/add', notifyExt(content))).body).toMatchObject({ code: 'R201' });
    const card = { title: '[{{severity}}] {{ruleName}}', summary: '{{message}}' };
    const templates = [{ channelType: 'WEBHOOK', payloadType: 'CARD', template: card }];
    const message = { messageName: fresh('card'), messageExt: { content: { templates } } };
    expect((await post('message/add', message)).body).toMatchObject({ code: 'R201' });
    const channel = {
      channelName: fresh('channel'),
      channelTypeFlag: 'WEBHOOK',
      credentialRef: 'duty-room',
      channelExt: { content: { signEnabled: true, atAllAllowed: false, options: {} } },
    };
    const { body } = await post('notify/channel/add', channel);
    expect(body).toMatchObject({ code: 'R201' });
    const kept = await world.admin.get(`${DATA}/notify/channel/get_by_id`, {
      id: z.string().parse(body.data),
    });
    expect(kept.body.data).toMatchObject({ target: '', credentialRef: 'duty-room' });
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
      { channelType: 'WEBHOOK', payloadType: 'PIGEON', template },
      { channelType: 'EMAIL', template: { text: 'x'.repeat(5_000) } },
      { channelType: 'EMAIL', template: {} },
    ])
      expect((await add([wrong])).status, JSON.stringify(wrong).slice(0, 80)).toBe(400);
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
