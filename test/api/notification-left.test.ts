import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { sweepLedger } from '../../src/alarm/ledger/loop.ts';
import { scanOutages } from '../../src/alarm/watch/outage.ts';
import { fieldDriver, LEASE_MS } from '../support/devices/field-driver.ts';
import { messagesAt } from '../support/devices/messages.ts';
import {
  addTo,
  channelTo,
  DATA,
  FAILED,
  History,
  RETRY,
  SUCCESS,
  watch,
} from '../support/devices/notify.ts';
import { startWebhookReceiver, status } from '../support/neighbours/webhook-receiver.ts';
import type { Session } from '../support/people/session.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, started } from '../support/world/prepared.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const hook = started(startWebhookReceiver);
const incidents = started(startWebhookReceiver);
const world = started(() =>
  startWorld({
    environment: { SVC_EGRESS_ALLOW: `webhook:${hook.hostPort},webhook:${incidents.hostPort}` },
  }),
);
const field = prepared(() => fieldDriver(world, hook));
const { taken, gets, later, reset } = messagesAt(hook, world, () => session);
let session: Session;
beforeEach(async () => {
  reset();
  incidents.answer(status(202));
  incidents.received.length = 0;
  session = await world.tenant(fresh('left'));
});

const change = (noun: string, id: string | undefined, fields: object) =>
  session.data(`${DATA}/${noun}/update`, { id, ...fields });
const bound = (notifyId: string, channelId: string | undefined, content: object = {}) =>
  addTo(session, 'notify/channel/bind', { notifyId, channelId, bindExt: { content } });
const asking = (content: object = {}) =>
  addTo(session, 'notify', {
    notifyName: fresh('policy'),
    notifyExt: { content: { alarmTypes: ['OFFLINE'], ...content } },
  });
const unbind = async (id: string) => session.data(`${DATA}/notify/channel/bind/delete`, { id });
const swept = () => sweepLedger(world.app);

const UNUSED = 'its policy does not send it over this channel any more';
const Histories = z.object({ records: z.array(History) });

/** Looks again until that is why the newest message to a channel ended. */
const lastWords = (channelId: string | undefined, words: string, look: () => Promise<void>) =>
  eventually(
    async () => {
      await look();
      return Histories.parse(await session.data(`${DATA}/notify/history/list`, { channelId }));
    },
    ({ records: [newest] }) => newest?.statusFlag === FAILED && newest.errorMessage === words,
  );

/** The outage of a device whose driver goes on. */
async function outages() {
  const [deviceId = '', other = ''] = await field.devicesOf(session, 2);
  return {
    async away() {
      await field.heard(session, [deviceId, other]);
      for (let part = 0; part < 2; part += 1) {
        world.clock.shift(LEASE_MS - 5_000);
        await field.heard(session, [other]);
      }
      await scanOutages(world.app);
      await swept();
    },
    async back() {
      await field.heard(session, [deviceId, other]);
      await scanOutages(world.app);
      await swept();
    },
  };
}

/** A pager, and what it gets of such an outage. */
async function pager() {
  const channelId = await channelTo(session, {
    target: `http://${incidents.hostPort}`,
    credential: '0123456789abcdef0123456789abcdef',
    channelExt: { content: { kind: 'pagerduty' } },
  });
  const outage = await outages();
  let key = '';
  const got = (...actions: string[]) =>
    eventually(
      async () =>
        incidents.received
          .map(({ body }) => JSON.parse(body))
          .filter(({ dedup_key: of }) => of === key)
          .map(({ event_action: action }) => action),
      (all) => JSON.stringify(all) === JSON.stringify(actions),
    );
  return {
    ...outage,
    channelId,
    got,
    async away() {
      await outage.away();
      key = `alarm-${await field.outageOf(session, 'Device “boiler')}`;
    },
  };
}

describe('an incident that a policy opened and does not send any more', () => {
  it('is resolved with its alarm by the policy whose step did not call the pager yet', async () => {
    const { channelId, got, away, back } = await pager();
    const first = await asking();
    await bound(first, channelId);
    const second = await asking();
    await bound(second, channelId);
    const escalation = [{ channels: [channelId], afterMs: HOUR }];
    await change('notify', second, {
      notifyExt: { content: { alarmTypes: ['OFFLINE'], escalation } },
    });
    await away();
    await got('trigger');
    await swept();
    await change('notify', first, { enableFlag: 'DISABLE' });
    await later(3 * SECOND);
    await later(3 * SECOND);
    await got('trigger');
    await back();
    await got('trigger', 'resolve');
  });

  it('is resolved with its alarm by the policy that takes the pager while that takes no end', async () => {
    const { channelId, got, away, back } = await pager();
    const first = await asking();
    await bound(first, channelId);
    const second = await asking({ alarmTypes: [] });
    await bound(second, channelId);
    await away();
    await got('trigger');
    await swept();
    incidents.answer(status(503));
    await change('notify', first, { enableFlag: 'DISABLE' });
    await later(3 * SECOND);
    await got('trigger', 'resolve');
    const escalation = [{ channels: [channelId], afterMs: HOUR }];
    await change('notify', second, {
      notifyExt: { content: { alarmTypes: ['OFFLINE'], escalation } },
    });
    await lastWords(channelId, UNUSED, () => later(SECOND));
    incidents.answer(status(202));
    incidents.received.length = 0;
    await back();
    await got('resolve');
  });

  it.each([
    ['sends no ends', { sendRecovery: false }, {}],
    ['calls the pager for other levels alone', {}, { levels: ['P3'] }],
  ])('is resolved at once where the other policy %s', async (_name, bind, levels) => {
    const { channelId, got, away } = await pager();
    const first = await asking();
    await bound(first, channelId);
    const escalation = [{ channels: [channelId], afterMs: HOUR, ...levels }];
    const second = await asking({ alarmTypes: [] });
    await bound(second, channelId, bind);
    await change('notify', second, {
      notifyExt: { content: { alarmTypes: ['OFFLINE'], escalation } },
    });
    await away();
    await got('trigger');
    await swept();
    await change('notify', first, { enableFlag: 'DISABLE' });
    await later(3 * SECOND);
    await got('trigger', 'resolve');
  });

  it('is opened again by a policy that takes its alarm again after the end', async () => {
    const { channelId, got, away } = await pager();
    const by = [await asking(), await asking()];
    for (const notifyId of by) await bound(notifyId, channelId);
    await away();
    await got('trigger', 'trigger');
    await later(3 * SECOND);
    for (const notifyId of by) {
      await change('notify', notifyId, { notifyExt: { content: {} } });
      await later(3 * SECOND);
    }
    await got('trigger', 'trigger', 'resolve');
    await swept();
    await change('notify', by[0], { notifyExt: { content: { alarmTypes: ['OFFLINE'] } } });
    await later(3 * SECOND);
    await got('trigger', 'trigger', 'resolve', 'trigger');
  });

  it('stays open where the policy that is deleted with its bind sends no ends', async () => {
    const { channelId, got, away } = await pager();
    const notifyId = await asking({ recovery: { enabled: false } });
    const bindId = await bound(notifyId, channelId);
    await away();
    await got('trigger');
    await swept();
    await unbind(bindId);
    await session.data(`${DATA}/notify/delete`, { id: notifyId });
    await later(3 * SECOND);
    await later(MINUTE);
    await got('trigger');
  });
});

it('a template for ends does not say that an alarm is over that is only no longer sent there', async () => {
  const templates = [
    { channelType: 'WEBHOOK', event: 'RECOVERED', template: { title: 'is back' } },
  ];
  const messageId = await addTo(session, 'message', {
    messageName: fresh('words'),
    messageExt: { content: { templates } },
  });
  const watched = await watch(world, { channels: [{ target: hook.url }], messageId }, session);
  await watched.measure(95);
  await watched.delivered();
  await change('notify', watched.notifyId, { enableFlag: 'DISABLE' });
  await gets('alarm.fired 1', 'alarm.recovered 1');
  expect(taken()[1]?.data.subject).toMatch(/ no longer sent here$/);
});

it('a rule that leaves two policies goes on with what a channel of both was sent', async () => {
  const watched = await watch(world, { channels: [{ target: hook.url }] }, session);
  await watched.measure(95);
  await watched.delivered();
  const [channelId] = watched.channelIds;
  hook.answer(status(503));
  const second = await addTo(session, 'notify', { notifyName: fresh('second') });
  await change('rule', watched.ruleId, { notifyId: second });
  await watched.until(SUCCESS, RETRY);
  const third = await addTo(session, 'notify', { notifyName: fresh('third') });
  for (const notifyId of [second, third]) await bound(notifyId, channelId);
  await change('rule', watched.ruleId, { notifyId: third });
  hook.answer(status(204));
  await later(MINUTE);
  await watched.until(SUCCESS, SUCCESS, SUCCESS);
  await watched.measure(20);
  await eventually(
    watched.history,
    (rows) => rows.at(-1)?.requestExt.title.endsWith('recovered') === true,
  );
});

it('another message of a policy is that of the next message about its outages', async () => {
  const words = (title: string) =>
    addTo(session, 'message', {
      messageName: fresh('words'),
      messageExt: { content: { templates: [{ channelType: 'WEBHOOK', template: { title } }] } },
    });
  const notifyId = await addTo(session, 'notify', {
    notifyName: fresh('policy'),
    messageId: await words('before {{deviceName}}'),
    notifyExt: { content: { alarmTypes: ['OFFLINE'] } },
  });
  await bound(notifyId, await channelTo(session, { target: hook.url }));
  const { away, back } = await outages();
  const titles = (count: number) =>
    eventually(
      async () =>
        taken()
          .map(({ data }) => data.subject)
          .filter((title) => title.includes('boiler')),
      (all) => all.length === count,
    );
  await away();
  await titles(1);
  await swept();
  await change('notify', notifyId, { messageId: await words('after {{deviceName}}') });
  await back();
  expect((await titles(2))[1]).toMatch(/^after /);
});
