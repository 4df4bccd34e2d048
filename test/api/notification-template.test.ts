import { beforeEach, describe, expect, it } from 'vitest';

import { sweepLedger } from '../../src/alarm/ledger/loop.ts';
import { scanOutages } from '../../src/alarm/watch/outage.ts';
import { fieldDriver, LEASE_MS } from '../support/devices/field-driver.ts';
import { addTo, channelTo, DATA, watch } from '../support/devices/notify.ts';
import { startWebhookReceiver, status } from '../support/neighbours/webhook-receiver.ts';
import type { Session } from '../support/people/session.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, started } from '../support/world/prepared.ts';

const MINUTE = 60_000;
const hook = started(startWebhookReceiver);
const world = started(() =>
  startWorld({ environment: { SVC_EGRESS_ALLOW: `webhook:${hook.hostPort}` } }),
);
const field = prepared(() => fieldDriver(world, hook));
beforeEach(() => {
  hook.received.length = 0;
  hook.answer(status(200));
});

const template = (title: string, given: object = {}) => ({
  channelType: 'WEBHOOK',
  template: { title },
  ...given,
});
const messageOf = (templates: readonly object[], session: Session = world.admin) =>
  addTo(session, 'message', {
    messageName: fresh('words'),
    messageExt: { content: { templates } },
  });

describe('a template', () => {
  it('of a kind and an event goes before one for all, at the begin, as a reminder and at the end', async () => {
    const messageId = await messageOf([
      template('any'),
      template('any reminder', { event: 'REMINDER' }),
      template('slack', { kind: 'slack' }),
      template('slack over', { kind: 'slack', event: 'RECOVERED' }),
      template('ntfy fired', { kind: 'ntfy', event: 'FIRED' }),
    ]);
    const url = `http://${hook.hostPort}`;
    const slack = {
      target: url,
      credential: `${url}/services/T00000000/B00000000/XXXXXXXXXXXX`,
      channelExt: { content: { kind: 'slack' } },
    };
    const ntfy = {
      target: `${url}/plant`,
      credential: '',
      channelExt: { content: { kind: 'ntfy' } },
    };
    const { measure, channelIds, history, delivered, until } = await watch(world, {
      messageId,
      channels: [{ target: hook.url }, slack, ntfy],
      notify: {
        notifyExt: { content: { repeat: { enabled: true, intervalMs: 10 * MINUTE, maxTimes: 1 } } },
      },
    });
    await measure(95);
    await delivered();
    world.clock.shift(11 * MINUTE);
    await sweepLedger(world.app);
    await eventually(history, (rows) => rows.length === 6);
    await delivered();
    await measure(20);
    const rows = await until(...Array.from({ length: 9 }, () => 2));
    const titles = (channelId = '') =>
      rows.filter((row) => row.channelId === channelId).map(({ requestExt }) => requestExt.title);
    expect(channelIds.map(titles)).toEqual([
      ['any', 'any reminder', 'any'],
      ['slack', 'slack', 'slack over'],
      ['ntfy fired', 'any reminder', 'any'],
    ]);
  });

  it('of the policy is for its outages, also over a channel that is bound later', async () => {
    const session = await world.tenant(fresh('outage-words'));
    const [deviceId = '', other = ''] = await field.devicesOf(session, 2);
    const messageId = await messageOf(
      [
        template('away: {{deviceName}}', { event: 'FIRED' }),
        template('back: {{deviceName}}', { event: 'RECOVERED' }),
      ],
      session,
    );
    const { notifyId } = await watch(
      world,
      {
        channels: [{ target: hook.url }],
        notify: { messageId, notifyExt: { content: { alarmTypes: ['OFFLINE'] } } },
      },
      session,
    );
    await field.heard(session, [deviceId, other]);
    for (let part = 0; part < 2; part += 1) {
      world.clock.shift(LEASE_MS - 5_000);
      await field.heard(session, [other]);
    }
    await scanOutages(world.app);
    await sweepLedger(world.app);
    // Its driver may be silent too.
    const titles = () =>
      hook.received
        .map(({ body }) => String(JSON.parse(body).data.subject))
        .filter((title) => title.includes('boiler'));
    const until = (count: number) =>
      eventually(
        async () => titles(),
        (all) => all.length === count,
      );
    expect(await until(1)).toEqual([expect.stringMatching(/^away: /)]);
    const channelId = await channelTo(session, { target: hook.url });
    await addTo(session, 'notify/channel/bind', { notifyId, channelId });
    await sweepLedger(world.app);
    expect((await until(2))[1]).toMatch(/^away: /);
    await field.heard(session, [deviceId, other]);
    await scanOutages(world.app);
    await sweepLedger(world.app);
    expect((await until(4)).slice(2)).toEqual([
      expect.stringMatching(/^back: /),
      expect.stringMatching(/^back: /),
    ]);
  });

  it.each([
    ['kind', { kind: 'pigeon' }],
    ['event', { event: 'CONFIRMED' }],
    ['kind', { kind: 'slack', channelType: 'EMAIL' }],
  ])('of a kind or an event that is not known is refused and named', async (named, given) => {
    const answer = await world.admin.post(`${DATA}/message/add`, {
      messageName: fresh('words'),
      messageExt: { content: { templates: [template('a', given)] } },
    });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(named);
  });

  it('of a policy is one of its tenant, and stays while the policy names it', async () => {
    const theirs = await world.tenant(fresh('words'));
    const foreign = await messageOf([template('a')], theirs);
    const mine = await messageOf([template('a')]);
    const policy = { notifyName: fresh('policy') };
    const post = (path: string, body: object) => world.admin.post(`${DATA}/${path}`, body);
    expect((await post('notify/add', { ...policy, messageId: foreign })).status).toBe(404);
    const id = await addTo(world.admin, 'notify', { ...policy, messageId: mine });
    expect((await post('notify/update', { id, messageId: foreign })).status).toBe(404);
    const one = () => world.admin.data(`${DATA}/notify/get_by_id`, undefined, { id });
    expect(await one()).toMatchObject({ messageId: mine });
    const remove = () => post(`message/delete?id=${mine}`, {});
    expect((await remove()).status).toBe(409);
    expect((await post('notify/update', { id, messageId: '0' })).status).toBe(200);
    expect((await remove()).status).toBe(200);
  });
});
