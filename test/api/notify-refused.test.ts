import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { inTenant } from '../../src/db/tenant.ts';
import { addTo, DATA } from '../support/devices/notify.ts';
import { webhookSecret } from '../support/neighbours/delivery.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

const world = startedWorld();
const post = (path: string, body: object) => world.admin.post(`${DATA}/${path}`, body);
const one = async (path: string, id: string) =>
  z
    .record(z.string(), z.unknown())
    .parse(await world.admin.data(`${DATA}/${path}/get_by_id`, undefined, { id }));
const said = (answer: { status: number; body: { message?: unknown } }): string =>
  `${answer.status} ${String(answer.body.message)}`;

describe('a member of what notifies that is not known, 400,', () => {
  const notify = (content: object) => ({
    notifyName: fresh('policy'),
    notifyExt: { content },
  });
  const template = (given: object) => ({
    messageName: fresh('message'),
    messageExt: { content: { templates: [{ channelType: 'EMAIL', ...given }] } },
  });
  const channel = (type: string, channelExt: object) => ({
    channelName: fresh('channel'),
    channelTypeFlag: type,
    channelExt,
  });
  const window = { start: '22:00', end: '06:00' };
  it.each<[string, () => object, string]>([
    ['notify', () => notify({ maintenance: {} }), 'notifyExt.content.maintenance: '],
    ['notify', () => notify({ groupWaitMs: 5 }), 'notifyExt.content.groupWaitMs: '],
    ['notify', () => notify({ rateLimit: { intervalMS: 5 } }), 'did you mean “intervalMs”?'],
    ['notify', () => notify({ repeat: { enabld: true } }), 'did you mean “enabled”?'],
    [
      'notify',
      () => notify({ escalation: [{ channels: ['1'], aftr: 'PT1M' }] }),
      'notifyExt.content.escalation.0.aftr: “aftr” is not known; did you mean “after”?',
    ],
    ['notify', () => notify({ recovery: { send: true } }), 'notifyExt.content.recovery.send: '],
    [
      'notify',
      () => notify({ silence: { windows: [{ ...window, timeZone: 'Europe/Berlin' }] } }),
      'notifyExt.content.silence.windows.0.timeZone: “timeZone” is not known; did you mean “timezone”?',
    ],
    ['notify', () => ({ ...notify({}), notifyIntervall: 5 }), 'did you mean “notifyInterval”?'],
    ['message', () => template({ template: { title: 'a', body: 'b' } }), 'template.body: '],
    ['message', () => template({ template: { text: 'a' }, payload: 'TEXT' }), '“payloadType”'],
    ['message', () => ({ ...template({ template: { text: 'a' } }), level: 'P0' }), 'level: '],
    ['notify/channel', () => channel('WEBHOOK', { header: { a: 'b' } }), '“headers”'],
    ['notify/channel', () => channel('WEBHOOK', { content: { a: 1 } }), 'channelExt.content.a: '],
    ['notify/channel', () => channel('SMS', { content: {}, url: 'x' }), 'channelExt.url: '],
    ['notify/channel', () => ({ ...channel('SMS', {}), credental: 'x' }), '“credential”'],
  ])('of %s is refused and named: %#', async (path, make, words) => {
    const answer = said(await post(`${path}/add`, make()));
    expect(answer).toMatch(/^400 /);
    expect(answer).toContain(words);
  });

  it('of a bind is refused and named', async () => {
    const notifyId = await addTo(world.admin, 'notify', { notifyName: fresh('policy') });
    const channelId = await addTo(world.admin, 'notify/channel', channel('WEBHOOK', {}));
    const bind = { notifyId, channelId };
    const wrong = { ...bind, bindExt: { content: { level: ['P0'] } } };
    expect(said(await post('notify/channel/bind/add', wrong))).toContain('“levels”');
    const id = await addTo(world.admin, 'notify/channel/bind', bind);
    const change = { id, bindExt: { content: { sendRecover: false } } };
    expect(said(await post('notify/channel/bind/update', change))).toContain('“sendRecovery”');
  });

  it('is taken where it was answered, or is one that clients send', async () => {
    const notifyId = await addTo(world.admin, 'notify', {
      ...notify({ silence: { windows: [window] }, escalation: [] }),
      tenantId: '1',
      operatorName: 'me',
    });
    const channelId = await addTo(world.admin, 'notify/channel', {
      ...channel('WEBHOOK', { content: { signEnabled: true, cardVersion: '2', options: {} } }),
      target: 'https://hooks.example.org/a',
      credential: webhookSecret,
    });
    const mailId = await addTo(world.admin, 'notify/channel', channel('EMAIL', { hall: 3 }));
    const bindId = await addTo(world.admin, 'notify/channel/bind', {
      notifyId,
      channelId,
      notifyName: 'night',
    });
    const variables = [{ name: 'a', describe: 'b' }];
    const messageId = await addTo(world.admin, 'message', {
      messageName: fresh('message'),
      messageExt: { content: { variables } },
    });
    for (const [path, id] of [
      ['notify', notifyId],
      ['notify/channel', channelId],
      ['notify/channel', mailId],
      ['notify/channel/bind', bindId],
      ['message', messageId],
    ] as const)
      expect(said(await post(`${path}/update`, await one(path, id))), path).toMatch(/^200/);
  });
});

describe('a policy', () => {
  it('is refused, 422, where 20 enabled ones take a type of its alarms already', async () => {
    const mine = await world.tenant('policies');
    const policy = (type: string, more: object = {}) => ({
      notifyName: fresh('policy'),
      notifyExt: { content: { alarmTypes: [type] } },
      ...more,
    });
    const asked = (path: string, body: object) => mine.post(`${DATA}/notify/${path}`, body);
    const off = await addTo(mine, 'notify', policy('FAULT', { enableFlag: 'DISABLE' }));
    const first = await addTo(mine, 'notify', policy('FAULT'));
    for (let count = 1; count < 20; count += 1) await addTo(mine, 'notify', policy('FAULT'));
    const other = await addTo(mine, 'notify', policy('OFFLINE'));
    const refused = [
      ['add', policy('FAULT')],
      ['update', { id: off, enableFlag: 'ENABLE' }],
      ['update', { id: other, notifyExt: { content: { alarmTypes: ['OFFLINE', 'FAULT'] } } }],
    ] as const;
    for (const [path, body] of refused)
      expect(said(await asked(path, body))).toMatch(/^422 At most 20 enabled policies .* FAULT/);
    expect(said(await asked('update', { id: first, remark: 'the first' }))).toMatch(/^200/);
    expect(said(await asked('update', { id: first, enableFlag: 'DISABLE' }))).toMatch(/^200/);
    expect(said(await asked('update', { id: off, enableFlag: 'ENABLE' }))).toMatch(/^200/);
  });

  it('is changed where more than 20 have its types already, and one of two that come at once is refused', async () => {
    const mine = await world.tenant('policies-full');
    const policy = (types: string[]) => ({
      notifyName: fresh('policy'),
      notifyExt: { content: { alarmTypes: types } },
    });
    const asked = (path: string, body: object) => mine.post(`${DATA}/notify/${path}`, body);
    const first = await addTo(mine, 'notify', policy(['FAULT']));
    for (let count = 1; count < 19; count += 1) await addTo(mine, 'notify', policy(['FAULT']));
    const both = await Promise.all([1, 2, 3].map(() => asked('add', policy(['FAULT']))));
    expect(both.filter((answer) => answer.status === 422)).toHaveLength(2);
    const content = { alarmTypes: ['OFFLINE', 'FAULT'] };
    // As before there was a limit.
    await inTenant(world.app.db, mine.tenantId, (q) =>
      q
        .insertInto('svc_notify')
        .values({
          tenantId: mine.tenantId,
          notifyName: fresh('old'),
          notifyCode: fresh('old'),
          notifyExt: JSON.stringify({ content }),
        })
        .execute(),
    );
    const repeated = { alarmTypes: ['FAULT'], repeat: { enabled: true } };
    const changed = { id: first, notifyExt: { content: repeated }, enableFlag: 'ENABLE' };
    expect(said(await asked('update', changed))).toMatch(/^200/);
    const more = { id: first, notifyExt: { content } };
    expect(said(await asked('update', more))).toMatch(/^200/);
  });
});
