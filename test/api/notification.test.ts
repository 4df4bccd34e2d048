import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { sweepLedger } from '../../src/alarm/ledger/loop.ts';
import { addTo, type History, SUCCESS, watch } from '../support/devices/notify.ts';
import { webhookSecret } from '../support/neighbours/delivery.ts';
import { startMailServer, wordsOf } from '../support/neighbours/mail-server.ts';
import { startSmsGateway } from '../support/neighbours/sms-gateway.ts';
import { startWebhookReceiver, status, verified } from '../support/neighbours/webhook-receiver.ts';
import { startWorld } from '../support/world/app.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared } from '../support/world/prepared.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const hook = prepared(startWebhookReceiver);
const other = prepared(startWebhookReceiver);
const gateway = prepared(startSmsGateway);
const mail = prepared(startMailServer);
const world = prepared(() =>
  startWorld({
    environment: {
      SVC_EGRESS_ALLOW: `webhook:${hook.hostPort},webhook:${other.hostPort},sms:${gateway.hostPort}`,
      SVC_SMTP_URL: mail.url,
      SVC_MAIL_FROM: 'alarms@example.org',
    },
  }),
);
afterAll(async () => {
  await world?.stop();
  for (const neighbour of [hook, other, gateway, mail]) await neighbour?.stop();
});
beforeEach(() => {
  for (const { received, answer } of [hook, other]) {
    received.length = 0;
    answer(status(204));
  }
  mail.mails.length = 0;
});

const reasons = async ({ state }: Awaited<ReturnType<typeof watch>>): Promise<string[]> =>
  (await state())?.entityStateExt.notified.suppressed.map(({ reason }) => reason) ?? [];
describe('a rule that fires', () => {
  it('reaches a webhook, a mailbox and a telephone, and tells each of them when it is over', async () => {
    const { measure, until, state, plant, ruleId } = await watch(world, {
      channels: [
        { target: hook.url },
        { channelTypeFlag: 'EMAIL', target: 'operator@example.org' },
        {
          channelTypeFlag: 'SMS',
          target: '+4930123456',
          credential: 'sms-key',
          channelExt: { content: gateway.settings },
        },
      ],
    });
    await measure(95);
    const fired = await until(SUCCESS, SUCCESS, SUCCESS);
    const alarmId = (await state())?.alarmId;
    const [request] = hook.received;
    if (!request) throw new Error('no webhook');
    expect(verified(webhookSecret, request)).toMatchObject({
      type: 'alarm.fired',
      data: {
        alarmId,
        ruleId,
        level: 'P1',
        deviceId: plant.deviceId,
        pointName: 'temperature',
        message: expect.stringContaining('calValue = 95 (> 90)'),
      },
    });
    expect(request.headers['webhook-id']).toBe(fired[0]?.deliveryId);
    expect(mail.mails).toMatchObject([
      {
        to: ['operator@example.org'],
        text: expect.stringContaining('is 95 °C, above 90 °C by 5 °C'),
      },
    ]);
    expect(gateway.texts()).toMatchObject([
      {
        to: '+4930123456',
        text: expect.stringContaining('is 95 °C, above 90 °C by 5 °C'),
        key: 'Bearer sms-key',
      },
    ]);
    for (const { responseExt, errorMessage } of fired)
      expect({ ...responseExt, errorMessage }).toMatchObject({
        status: 'delivered',
        errorMessage: '',
      });

    await measure(20);
    const all = await until(...Array.from({ length: 6 }, () => SUCCESS));
    expect(all.slice(3).map((row) => [row.eventFlag, row.alarmId])).toEqual(
      Array.from({ length: 3 }, () => ['RECOVERED', alarmId]),
    );
    const [, over] = hook.received;
    if (!over) throw new Error('no recovery');
    expect(verified(webhookSecret, over)).toMatchObject({
      type: 'alarm.recovered',
      data: { alarmId },
    });
    const { ruleName } = z
      .object({ ruleName: z.string() })
      .parse(await world.admin.data('/api/v3/data/rule/get_by_id', undefined, { id: ruleId }));
    expect(mail.mails.map(({ headers }) => wordsOf(headers['subject']))).toEqual([
      `[P1] "${ruleName}" fired`,
      `[P1] "${ruleName}" recovered`,
    ]);
  });

  it('says what the message of the rule says, with its variables, and reports those that are missing', async () => {
    const messageId = await addTo(world.admin, 'message', {
      messageName: fresh('words'),
      messageExt: {
        content: {
          templates: [
            {
              channelType: 'EMAIL',
              template: {
                title: '{{ severity }}: {{device}}',
                text: '{{point}} is {{value}} {{unit}} (limit {{threshold}}); see {{manual}}. {{labels}}',
              },
            },
          ],
        },
      },
    });
    const { measure, until } = await watch(world, {
      messageId,
      content: { labels: ['<b>{{severity}}</b>'] },
      channels: [
        { channelTypeFlag: 'EMAIL', target: 'operator@example.org' },
        { target: hook.url },
      ],
    });
    await measure(95);
    const [mailed, posted] = await until(SUCCESS, SUCCESS);
    // A fact that is not there stays readable; what a value holds is not looked at again.
    expect(mailed?.requestExt).toMatchObject({
      title: expect.stringMatching(/^P1: thermostat-/),
      text: 'temperature is {{value}} °C (limit 90); see {{manual}}. ["<b>{{severity}}</b>"]',
      missing: ['value', 'manual'],
      templateType: 'MESSAGE',
    });
    expect(mail.mails[0]?.text).toBe(mailed?.requestExt.text);
    expect(posted?.requestExt).toMatchObject({ templateType: 'DEFAULT', missing: [] });
  });

  it('is told once while it goes on, and again only as often as the policy repeats it', async () => {
    const quiet = await watch(world, { channels: [{ target: hook.url }] });
    for (const value of [95, 96, 97]) {
      await quiet.measure(value);
      world.clock.shift(HOUR);
    }
    expect(await quiet.until(SUCCESS)).toHaveLength(1);
    const repeat = { enabled: true, intervalMs: 10 * MINUTE, maxTimes: 2 };
    const loud = await watch(world, {
      channels: [{ target: other.url }],
      notify: { notifyExt: { content: { repeat } } },
    });
    const told: number[] = [];
    for (let minute = 0; minute <= 60; minute += 5) {
      await loud.measure(95);
      await sweepLedger(world.app);
      told.push((await loud.history()).length);
      await loud.delivered();
      world.clock.shift(5 * MINUTE);
    }
    expect(told).toEqual([1, 1, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3]);
  });
});

describe('a policy', () => {
  it('tells a channel the levels it listens to, and recoveries where it wants them', async () => {
    const watched = await watch(world, {
      channels: [
        { target: hook.url, bindExt: { levels: ['P0'] } },
        { target: other.url, bindExt: { levels: ['P0', 'P1'], sendRecovery: false } },
      ],
    });
    await watched.measure(95);
    expect(await watched.until(SUCCESS)).toMatchObject([{ channelId: watched.channelIds[1] }]);
    expect(await reasons(watched)).toEqual(['LEVEL']);
    await watched.measure(20);
    expect(await reasons(watched)).toEqual(['NO_RECOVERY']);
    expect(await watched.history()).toHaveLength(1);
    const none = await watch(world, {
      channels: [{ target: hook.url }],
      notify: { notifyExt: { content: { recovery: { sendRecoveryMessage: false } } } },
    });
    await none.measure(95);
    await none.delivered();
    await none.measure(20);
    expect(await reasons(none)).toEqual(['NO_RECOVERY']);
    expect(await none.until(SUCCESS)).toHaveLength(1);
  });

  it('keeps silent in its windows by the clock, and tells no end of what nobody heard begin', async () => {
    const hourNow = new Date(world.clock.now()).getUTCHours();
    const time = (hour: number) => `${String((hour + 24) % 24).padStart(2, '0')}:00`;
    const windows = [{ timezone: 'UTC', start: time(hourNow - 1), end: time(hourNow + 2) }];
    const watched = await watch(world, {
      channels: [{ target: hook.url }],
      notify: { notifyExt: { content: { silence: { enabled: true, windows } } } },
    });
    await watched.measure(95);
    expect(await reasons(watched)).toEqual(['SILENCE']);
    world.clock.shift(3 * HOUR);
    await watched.measure(20);
    expect(await reasons(watched)).toEqual(['NOT_NOTIFIED']);
    await watched.measure(95);
    expect(await reasons(watched)).toEqual([]);
    expect(await watched.until(SUCCESS)).toHaveLength(1);
  });

  it('limits how often a state that flaps is told, for each channel by itself', async () => {
    const watched = await watch(world, {
      channels: [
        { target: hook.url },
        { target: other.url, bindExt: { rateLimitOverrideMs: 5 * MINUTE } },
      ],
      notify: { notifyInterval: 20 * MINUTE },
    });
    const fired: number[][] = [];
    for (let round = 0; round < 5; round += 1) {
      await watched.measure(95);
      await watched.delivered();
      await watched.measure(20);
      await watched.delivered();
      const rows = (await watched.history()).filter(({ eventFlag }) => eventFlag === 'FIRED');
      fired.push(
        watched.channelIds.map((id) => rows.filter(({ channelId }) => channelId === id).length),
      );
      world.clock.shift(6 * MINUTE);
    }
    expect(fired).toEqual([
      [1, 1],
      [1, 2],
      [1, 3],
      [1, 4],
      [2, 5],
    ]);
    const count = (event: string, rows: History[]) =>
      rows.filter(({ eventFlag }) => eventFlag === event).length;
    const rows = await watched.history();
    expect(count('RECOVERED', rows)).toBe(count('FIRED', rows));
  });
});
