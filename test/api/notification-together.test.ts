import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { raise } from '../../src/alarm/alarm/raise.ts';
import { sweepLedger } from '../../src/alarm/ledger/loop.ts';
import { notifyFired } from '../../src/alarm/ledger/notify.ts';
import { withoutRule } from '../../src/alarm/message/alarm-event.ts';
import { writingOf } from '../../src/alarm/message/alarm-link.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { alarmIdOf, messagesAt, type Watching } from '../support/devices/messages.ts';
import { DATA } from '../support/devices/notify.ts';
import { startWebhookReceiver, status } from '../support/neighbours/webhook-receiver.ts';
import { startWorld } from '../support/world/app.ts';
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
const { taken, shortOf, gets, asked, later, rulesOf, all, reset } = messagesAt(hook, world);
beforeEach(reset);

const receiversOf = async (rule: Watching): Promise<unknown> =>
  z.looseObject({ receivers: z.unknown() }).parse(
    await world.admin.data(`${DATA}/dashboard/alert/report`, undefined, {
      alarmId: await alarmIdOf(rule),
    }),
  ).receivers;

describe('alarms of one group', () => {
  it('that begin within its time are one message that lists them, most urgent first, and so are their ends', async () => {
    const rules = await rulesOf({ grouping: { by: [], waitMs: 30 * SECOND } }, ['P2', 'P1', 'P3']);
    await all(rules, 95);
    await later(20 * SECOND);
    expect(taken()).toEqual([]);
    await later(11 * SECOND);
    await gets('alarm.fired 3');
    const [message] = taken();
    expect(message?.data).toMatchObject({ level: 'P1', subject: '[P1] 3 alarms fire' });
    expect(message?.data.text.match(/^\[P\d\]/gm)).toEqual(['[P1]', '[P2]', '[P3]']);
    const ids = await Promise.all(rules.map(alarmIdOf));
    expect(message?.data.group?.alarmIds.toSorted()).toEqual(ids.toSorted());
    for (const rule of rules)
      expect(await receiversOf(rule)).toMatchObject([{ ok: true, event: 'FIRED' }]);
    await all(rules, 20);
    await later(31 * SECOND);
    await gets('alarm.fired 3', 'alarm.recovered 3');
    for (const rule of rules)
      expect(await receiversOf(rule)).toMatchObject([{ event: 'FIRED' }, { event: 'RECOVERED' }]);
    await later(HOUR);
    expect(taken()).toHaveLength(2);
  });

  it('are those with the same level, rule, driver or device; a P0 waits for none', async () => {
    const rules = await rulesOf({ grouping: { by: ['level'], waitMs: 30 * SECOND } }, [
      'P2',
      'P0',
      'P2',
      'P1',
    ]);
    await all(rules, 95);
    await gets('alarm.fired 1');
    expect(taken()[0]?.data.level).toBe('P0');
    await later(31 * SECOND);
    await eventually(
      async () => taken().map(shortOf).toSorted(),
      (some) => some.length === 3,
    );
    expect(taken().map(shortOf).toSorted()).toEqual([
      'alarm.fired 1',
      'alarm.fired 1',
      'alarm.fired 2',
    ]);
  });

  it('are sent to a pager one by one', async () => {
    const pager = {
      target: `http://${hook.hostPort}`,
      credential: '0123456789abcdef0123456789abcdef',
      channelExt: { content: { kind: 'pagerduty' } },
    };
    const rules = await rulesOf({ grouping: { waitMs: 30 * SECOND } }, ['P2', 'P2'], pager);
    await all(rules, 95);
    const keys = () =>
      hook.received.map(({ body }) => String(JSON.parse(body).dedup_key)).toSorted();
    const ids = await Promise.all(rules.map(alarmIdOf));
    await eventually(
      async () => keys(),
      (some) => some.length === 2,
    );
    expect(keys()).toEqual(ids.map((id) => `alarm-${id}`).toSorted());
  });

  it('that are over before their message is taken get their end after it, in order', async () => {
    const rules = await rulesOf({ grouping: { waitMs: 10 * SECOND } }, ['P2', 'P2']);
    const [first, second] = rules;
    if (!first || !second) throw new Error('no rules');
    hook.answer(status(503));
    await all(rules, 95);
    await later(11 * SECOND);
    await asked(1);
    await first.measure(20);
    hook.received.length = 0;
    hook.answer(status(204));
    world.clock.shift(10 * SECOND);
    await gets('alarm.fired 2');
    await later(MINUTE + SECOND);
    await later(11 * SECOND);
    await gets('alarm.fired 2', 'alarm.recovered 1');
    expect(taken()[1]?.data.alarmId).toBe(await alarmIdOf(first));
  });
});

it('a report that is in a message with an alarm that is over is not lost', async () => {
  const [rule] = await rulesOf(
    { alarmTypes: ['OFFLINE'], grouping: { by: [], waitMs: 10 * SECOND } },
    ['P2'],
  );
  if (!rule) throw new Error('no rule');
  hook.answer(status(503));
  await rule.measure(95);
  const { tenantId } = world.admin;
  const now = world.clock.now();
  const what = { target: 'DEVICE', entityId: '1', message: 'it is away' } as const;
  await inTenant(world.app.db, tenantId, async (q) => {
    const report = { ...what, tenantId, type: 'OFFLINE', source: 'SYSTEM', level: 2, now } as const;
    const about = withoutRule({ tenantId, alarmId: await raise(q, report), type: 'OFFLINE' });
    const message = { ...about, ...what, level: 'P2', deviceId: '0', occurTime: now } as const;
    const by = [{ notifyId: rule.notifyId, messageId: '0' }];
    await notifyFired(q, message, by, writingOf(world.app));
  });
  await later(11 * SECOND);
  await asked(1);
  await rule.measure(20);
  hook.received.length = 0;
  hook.answer(status(204));
  world.clock.shift(10 * SECOND);
  await gets('alarm.fired 2');
  await later(MINUTE + SECOND);
  await later(11 * SECOND);
  await gets('alarm.fired 2', 'alarm.recovered 1');
});

describe('a digest', () => {
  it('has the alarms of its levels in one message at its times, and no others', async () => {
    const rules = await rulesOf({ digest: { everyMs: HOUR, levels: ['P2', 'P3'] } }, [
      'P2',
      'P1',
      'P3',
    ]);
    world.clock.shift(HOUR - (world.clock.now() % HOUR) + MINUTE);
    await all(rules, 95);
    await gets('alarm.fired 1');
    expect(taken()[0]?.data.level).toBe('P1');
    await later(58 * MINUTE);
    expect(taken()).toHaveLength(1);
    await later(MINUTE + SECOND);
    await gets('alarm.fired 1', 'alarm.fired 2');
  });

  it.each([
    ['a P0', { digest: { everyMs: HOUR, levels: ['P0'] } }],
    ['no time', { digest: { levels: ['P2'] } }],
    ['two kinds of times', { digest: { everyMs: HOUR, at: ['07:00'], levels: ['P2'] } }],
    ['no time of day', { digest: { at: ['7'], levels: ['P2'] } }],
    ['another part', { grouping: { by: ['color'] } }],
    ['a wait of a day', { grouping: { waitMs: 24 * HOUR } }],
    ['a flood without a time', { flood: { count: 2 } }],
    ['an unknown member', { flood: { count: 2, perMs: HOUR, most: 3 } }],
  ])('or a policy with %s is refused', async (_what, content) => {
    const given = { notifyName: fresh('policy'), notifyExt: { content } };
    expect((await world.admin.post(`${DATA}/notify/add`, given)).status).toBe(400);
  });
});

describe('a flood', () => {
  it('becomes one message each interval, the most urgent first, in which no P0 is lost', async () => {
    const levels = ['P2', 'P2', 'P3', 'P0', 'P2', 'P1'];
    const rules = await rulesOf({ flood: { count: 2, perMs: 10 * MINUTE } }, levels);
    await all(rules, 95);
    await gets('alarm.fired 1', 'alarm.fired 1');
    await later(9 * MINUTE);
    expect(taken()).toHaveLength(2);
    await later(MINUTE + SECOND);
    await gets('alarm.fired 1', 'alarm.fired 1', 'alarm.fired 4');
    const [, , flood] = taken();
    expect(flood?.data).toMatchObject({ level: 'P0', subject: '[P0] 4 alarms fire' });
    const told = taken().flatMap(({ data }) => data.group?.alarmIds ?? [data.alarmId]);
    expect(told.toSorted()).toEqual((await Promise.all(rules.map(alarmIdOf))).toSorted());
    await later(11 * MINUTE);
    await all(rules, 20);
    await later(11 * MINUTE);
    await eventually(
      async () => taken().length,
      (count) => count === 6,
    );
    expect(taken().slice(3).map(shortOf)).toEqual([
      'alarm.recovered 1',
      'alarm.recovered 1',
      'alarm.recovered 4',
    ]);
  });

  it('goes on for what comes while others wait, and ends with its interval', async () => {
    const rules = await rulesOf({ flood: { count: 1, perMs: 10 * MINUTE } }, ['P2', 'P2', 'P0']);
    const [first, second, third] = rules;
    if (!first || !second || !third) throw new Error('no rules');
    await first.measure(95);
    await second.measure(95);
    await later(6 * MINUTE);
    await third.measure(95);
    await gets('alarm.fired 1');
    await later(4 * MINUTE + SECOND);
    await gets('alarm.fired 1', 'alarm.fired 2');
  });

  it('is counted exactly by evaluations and sweeps that run side by side', async () => {
    const levels = Array.from({ length: 16 }, (_, n) => `P${1 + (n % 3)}`);
    const perMs = 10 * MINUTE;
    const rules = await rulesOf({ flood: { count: 3, perMs } }, levels);
    const [first] = rules;
    if (!first) throw new Error('no rules');
    const times = async (): Promise<number[]> => {
      const { rows } = await inTenant(world.app.db, world.admin.tenantId, (q) =>
        sql<{ at: Date }>`select create_time as at from svc_notify_history
          where channel_id = ${first.channelIds[0]} order by create_time`.execute(q),
      );
      return rows.map(({ at }) => at.getTime());
    };
    await Promise.all(rules.map(({ measure }) => measure(95)));
    for (let round = 0; round < 20; round += 1) {
      world.clock.shift(MINUTE + SECOND);
      await Promise.all([1, 2, 3].map(() => sweepLedger(world.app)));
    }
    const written = await times();
    for (const at of written)
      expect(written.filter((one) => one >= at && one < at + perMs).length).toBeLessThanOrEqual(3);
    await eventually(
      async () => new Set(taken().flatMap(({ data }) => data.group?.alarmIds ?? [data.alarmId])),
      (known) => known.size === rules.length,
    );
  });
});
