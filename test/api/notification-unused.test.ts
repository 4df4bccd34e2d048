import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { raise } from '../../src/alarm/alarm/raise.ts';
import { notifyFired } from '../../src/alarm/ledger/notify.ts';
import { withoutRule } from '../../src/alarm/message/alarm-event.ts';
import { writingOf } from '../../src/alarm/message/alarm-link.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { messagesAt } from '../support/devices/messages.ts';
import {
  addTo,
  channelTo,
  DATA,
  FAILED,
  RETRY,
  SUCCESS,
  watch,
} from '../support/devices/notify.ts';
import { startWebhookReceiver, status } from '../support/neighbours/webhook-receiver.ts';
import { login, type Session } from '../support/people/session.ts';
import { startWorld } from '../support/world/app.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { started } from '../support/world/prepared.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const hook = started(startWebhookReceiver);
const world = started(() =>
  startWorld({ environment: { SVC_EGRESS_ALLOW: `webhook:${hook.hostPort}` } }),
);
const { taken, gets, asked, later, rulesOf, all, reset } = messagesAt(hook, world, () => session);
let session: Session;
beforeEach(async () => {
  reset();
  session = await world.tenant(fresh('unused'));
});

const NO_LONGER = /^\[P1\] "too hot.*" no longer sent here$/;
const change = (noun: string, id: string | undefined, fields: object) =>
  session.data(`${DATA}/${noun}/update`, { id, ...fields });
const OFF = { enableFlag: 'DISABLE' };
const ON = { enableFlag: 'ENABLE' };

/** An alarm that the channels of its policy know. */
async function known(channels: object[] = [{}], notify: object = {}) {
  const watched = await watch(
    world,
    { channels: channels.map((channel) => ({ target: hook.url, ...channel })), notify },
    session,
  );
  await watched.measure(95);
  await watched.delivered();
  return watched;
}

const Binds = z.object({ records: z.array(z.looseObject({ id: z.string() })) });
const bindOf = async (notifyId: string, channelId?: string): Promise<string> => {
  const bound = { notifyId, ...(channelId !== undefined && { channelId }) };
  const [bind] = Binds.parse(await session.data(`${DATA}/notify/channel/bind/list`, bound)).records;
  return bind?.id ?? '';
};

/** What each channel got of a rule, as events, oldest first. */
const eventsOf = async ({ history }: Awaited<ReturnType<typeof watch>>, channelId?: string) =>
  (await history()).filter((row) => row.channelId === channelId).map((row) => row.eventFlag);

describe('an alarm whose rule gets another policy while it fires', () => {
  it('ends for channels of the old one alone, begins for those of the new one alone, and goes on for those of both', async () => {
    const watched = await known([{}, {}]);
    const [old, both] = watched.channelIds;
    const notifyId = await addTo(session, 'notify', { notifyName: fresh('other') });
    const added = await channelTo(session, { target: hook.url });
    for (const channelId of [both, added])
      await addTo(session, 'notify/channel/bind', { notifyId, channelId });
    await change('rule', watched.ruleId, { notifyId });
    await later(3 * SECOND);
    const rows = await watched.until(SUCCESS, SUCCESS, SUCCESS, SUCCESS);
    expect(rows.map((row) => [row.channelId, row.eventFlag]).slice(2)).toEqual(
      expect.arrayContaining([
        [old, 'RECOVERED'],
        [added, 'FIRED'],
      ]),
    );
    const ended = rows.find(({ eventFlag }) => eventFlag === 'RECOVERED');
    expect(ended?.requestExt.title).toMatch(NO_LONGER);
    expect(ended?.requestExt.text).toMatch(/^No longer sent here, still firing after .+: /);
    await watched.measure(20);
    await watched.until(SUCCESS, SUCCESS, SUCCESS, SUCCESS, SUCCESS, SUCCESS);
    expect(await eventsOf(watched, old)).toEqual(['FIRED', 'RECOVERED']);
    expect(await eventsOf(watched, both)).toEqual(['FIRED', 'RECOVERED']);
    expect(await eventsOf(watched, added)).toEqual(['FIRED', 'RECOVERED']);
  });

  it('is sent by the first policy that its rule gets, and not any more where it has none', async () => {
    const { notifyId } = await watch(world, { channels: [{ target: hook.url }] }, session);
    const watched = await watch(world, { rule: { notifyId: '0' } }, session);
    await watched.measure(95);
    await change('rule', watched.ruleId, { notifyId });
    await gets('alarm.fired 1');
    await watched.delivered();
    await change('rule', watched.ruleId, { notifyId: '0' });
    await gets('alarm.fired 1', 'alarm.recovered 1');
    await watched.delivered();
    await change('rule', watched.ruleId, { notifyId });
    await gets('alarm.fired 1', 'alarm.recovered 1', 'alarm.fired 1');
  });

  it('is sent with another message from the next one on', async () => {
    const watched = await known();
    const templates = [
      { channelType: 'WEBHOOK', template: { title: 'changed', text: '{{alarmText}}' } },
    ];
    const messageId = await addTo(session, 'message', {
      messageName: fresh('changed'),
      messageExt: { content: { templates } },
    });
    await change('rule', watched.ruleId, { messageId });
    await watched.measure(20);
    await gets('alarm.fired 1', 'alarm.recovered 1');
    expect(taken().map(({ data }) => data.subject)).toEqual([
      expect.stringMatching(/ fired$/),
      'changed',
    ]);
  });
});

describe('a channel that knows of an alarm', () => {
  type Known = Awaited<ReturnType<typeof known>>;
  it.each<[string, (given: Known) => Promise<unknown>, (given: Known) => Promise<unknown>]>([
    [
      'is not bound to the policy any more',
      async ({ notifyId }) =>
        session.data(`${DATA}/notify/channel/bind/delete`, { id: await bindOf(notifyId) }),
      ({ notifyId, channelIds: [channelId] }) =>
        addTo(session, 'notify/channel/bind', { notifyId, channelId }),
    ],
    [
      'has a bind that is disabled',
      async ({ notifyId }) => change('notify/channel/bind', await bindOf(notifyId), OFF),
      async ({ notifyId }) => change('notify/channel/bind', await bindOf(notifyId), ON),
    ],
    [
      'has a policy that is disabled',
      ({ notifyId }) => change('notify', notifyId, OFF),
      ({ notifyId }) => change('notify', notifyId, ON),
    ],
  ])(
    'and %s gets the end at once, and the alarm again where that is undone',
    async (_name, off, on) => {
      const watched = await known();
      await off(watched);
      await gets('alarm.fired 1', 'alarm.recovered 1');
      await watched.delivered();
      expect(taken()[1]?.data.subject).toMatch(NO_LONGER);
      await later(MINUTE);
      await on(watched);
      await gets('alarm.fired 1', 'alarm.recovered 1', 'alarm.fired 1');
      await watched.delivered();
      await watched.measure(20);
      await gets('alarm.fired 1', 'alarm.recovered 1', 'alarm.fired 1', 'alarm.recovered 1');
      expect(taken()[3]?.data.subject).toMatch(/ recovered$/);
    },
  );

  it('and is not used any more before it takes the end gets the alarm again after it', async () => {
    const watched = await known();
    hook.answer(status(503));
    await change('notify', watched.notifyId, OFF);
    await watched.until(SUCCESS, RETRY);
    await change('notify', watched.notifyId, ON);
    await later(3 * SECOND);
    hook.answer(status(204));
    hook.received.length = 0;
    await later(MINUTE);
    await gets('alarm.recovered 1', 'alarm.fired 1');
  });

  it('that does not want ends gets none, nor the alarm twice', async () => {
    const watched = await known([{ bindExt: { sendRecovery: false } }]);
    const { notifyId } = watched;
    await change('notify', notifyId, OFF);
    await later(MINUTE);
    await change('notify', notifyId, ON);
    await later(MINUTE);
    await session.data(`${DATA}/notify/channel/bind/delete`, { id: await bindOf(notifyId) });
    await later(MINUTE);
    expect(await watched.history()).toHaveLength(1);
  });

  it('which ended while it was disabled gets the end when it is enabled, within a day', async () => {
    const [watched, late] = [await known(), await known()];
    const off = async ({ channelIds: [id], measure }: Known, lasts: number) => {
      await change('notify/channel', id, OFF);
      await measure(20);
      await later(lasts);
      const { base, tenant } = session;
      session = await login(base, tenant, `${tenant}-admin`, testEnvironment.SVC_ADMIN_PASSWORD);
      await change('notify/channel', id, ON);
      await later(3 * SECOND);
    };
    hook.received.length = 0;
    await off(watched, 23 * HOUR);
    await gets('alarm.recovered 1');
    await off(late, 25 * HOUR);
    await later(HOUR);
    expect(taken()).toHaveLength(1);
  });

  it('whose incident a pager keeps is resolved there', async () => {
    const credential = '0123456789abcdef0123456789abcdef';
    hook.answer(status(202));
    const watched = await known([
      {
        target: `http://${hook.hostPort}`,
        credential,
        channelExt: { content: { kind: 'pagerduty' } },
      },
    ]);
    await session.data(`${DATA}/notify/channel/bind/delete`, {
      id: await bindOf(watched.notifyId),
    });
    await asked(2);
    expect(hook.received.map(({ body }) => JSON.parse(body).event_action)).toEqual([
      'trigger',
      'resolve',
    ]);
  });

  it('gets one message of several alarms that its policy does not send there any more', async () => {
    const grouping = { by: [], waitMs: 10 * SECOND };
    const rules = await rulesOf({ grouping }, ['P2', 'P2', 'P2']);
    await all(rules, 95);
    await later(11 * SECOND);
    await gets('alarm.fired 3');
    await rules[0]?.delivered();
    await change('notify', rules[0]?.notifyId, OFF);
    await later(3 * SECOND);
    await rules[1]?.measure(20);
    await later(11 * SECOND);
    await gets('alarm.fired 3', 'alarm.recovered 3');
    expect(taken()[1]?.data.subject).toBe('[P2] 3 alarms are over or no longer sent here');
  });
});

it('an outage ends for a channel with the last policy that asks for its type', async () => {
  const outages = { notifyExt: { content: { alarmTypes: ['OFFLINE'] } } };
  const channelId = await channelTo(session, { target: hook.url });
  const { tenantId } = session;
  const by: string[] = [];
  for (const notifyName of [fresh('first'), fresh('second')]) {
    const notifyId = await addTo(session, 'notify', { notifyName, ...outages });
    await addTo(session, 'notify/channel/bind', { notifyId, channelId });
    by.push(notifyId);
  }
  const place = { target: 'DEVICE', entityId: '1', message: 'it is away' } as const;
  const now = world.clock.now();
  const alarmId = await inTenant(world.app.db, tenantId, async (q) => {
    const of = { ...place, tenantId, type: 'OFFLINE', source: 'SYSTEM', level: 2, now } as const;
    const time = new Date(now);
    const id = await raise(q, {
      ...of,
      episode: { firstTriggerTime: time, lastTriggerTime: time },
    });
    const about = withoutRule({ tenantId, alarmId: id, type: 'OFFLINE' });
    const message = { ...about, ...place, level: 'P2', deviceId: '0', occurTime: now } as const;
    const policies = by.map((notifyId) => ({ notifyId, messageId: '0' }));
    await notifyFired(q, message, policies, writingOf(world.app));
    return id;
  });
  const got = (...types: string[]) =>
    eventually(
      async () => taken().flatMap(({ type, data }) => (data.alarmId === alarmId ? [type] : [])),
      (some) => JSON.stringify(some) === JSON.stringify(types),
    );
  await later(2 * SECOND);
  await got('alarm.fired', 'alarm.fired');
  await later(2 * SECOND);
  await change('notify', by[0], { notifyExt: { content: {} } });
  await later(MINUTE);
  await got('alarm.fired', 'alarm.fired');
  await change('notify', by[1], { notifyExt: { content: {} } });
  await got('alarm.fired', 'alarm.fired', 'alarm.recovered');
});

describe('a message that waits for its next try', () => {
  it('is not sent once its channel is not bound any more, nor is the end of its alarm', async () => {
    hook.answer(status(503));
    const watched = await watch(world, { channels: [{ target: hook.url }] }, session);
    await watched.measure(95);
    await watched.until(RETRY);
    const id = await bindOf(watched.notifyId);
    await session.data(`${DATA}/notify/channel/bind/delete`, { id });
    const [row] = await watched.until(FAILED);
    expect(row?.errorMessage).toBe('its policy does not send it over this channel any more');
    hook.received.length = 0;
    await later(HOUR);
    await watched.measure(20);
    await later(MINUTE);
    expect(hook.received).toEqual([]);
  });

  it('is not sent once its rule has another policy', async () => {
    hook.answer(status(503));
    const watched = await watch(world, { channels: [{ target: hook.url }] }, session);
    await watched.measure(95);
    await watched.until(RETRY);
    await change('rule', watched.ruleId, { notifyId: '0' });
    await later(2 * SECOND);
    await watched.until(FAILED);
    await eventually(
      async () => watched.history(),
      ([row]) => row?.errorMessage === 'its policy does not send it over this channel any more',
    );
  });
});
