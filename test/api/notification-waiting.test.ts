import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { alarmIdOf, messagesAt } from '../support/devices/messages.ts';
import { addTo, DATA, FAILED } from '../support/devices/notify.ts';
import { startWebhookReceiver, status } from '../support/neighbours/webhook-receiver.ts';
import type { Session } from '../support/people/session.ts';
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
const { taken, gets, asked, later, rulesOf, all, change, reset } = messagesAt(
  hook,
  world,
  () => session,
);
let session: Session;
beforeEach(async () => {
  reset();
  session = await world.tenant(fresh('waiting'));
});

const grouping = { by: [], waitMs: 10 * MINUTE };
const time = (ms: number): string => new Date(world.clock.now() + ms).toISOString().slice(11, 19);
const confirm = (alarmId: string) =>
  session.data(`${DATA}/dashboard/alert/confirm?source=point&id=${alarmId}`, {});
const bindOf = async (notifyId: string): Promise<string> =>
  z
    .object({ records: z.tuple([z.looseObject({ id: z.string() })]) })
    .parse(await session.data(`${DATA}/notify/channel/bind/list`, { notifyId })).records[0].id;
const rebind = async (notifyId: string, content: object) =>
  session.data(`${DATA}/notify/channel/bind/update`, {
    id: await bindOf(notifyId),
    bindExt: { content },
  });

describe('what waits for others', () => {
  it('is left out where a maintenance mutes it meanwhile, and sent at the end of that', async () => {
    const rules = await rulesOf({ grouping }, ['P2', 'P2', 'P2']);
    await all(rules, 95);
    const [, muted] = rules;
    await addTo(session, 'maintenance', {
      maintenanceName: 'new fan',
      scopeFlag: 'DEVICE',
      entityIds: [muted?.plant.deviceId],
      endTime: new Date(world.clock.now() + HOUR).toISOString(),
    });
    await later(10 * MINUTE + SECOND);
    await gets('alarm.fired 2');
    await later(51 * MINUTE);
    await later(10 * MINUTE + SECOND);
    await gets('alarm.fired 2', 'alarm.fired 1');
  });

  it('is left out where quiet hours begin meanwhile, which only urgent alarms pass', async () => {
    const rules = await rulesOf({ grouping }, ['P1', 'P3', 'P3']);
    const [first] = rules;
    const windows = [{ start: time(5 * MINUTE), end: time(3 * HOUR) }];
    await rebind(first?.notifyId ?? '', { quiet: { windows, through: ['P1'] } });
    await all(rules, 95);
    await later(10 * MINUTE + SECOND);
    await gets('alarm.fired 1');
    expect(taken()[0]?.data.level).toBe('P1');
    await later(3 * HOUR);
    await later(10 * MINUTE + SECOND);
    await gets('alarm.fired 1', 'alarm.fired 2');
  });

  it('is left out where a bind no longer takes its level', async () => {
    const rules = await rulesOf({ grouping }, ['P1', 'P3']);
    await all(rules, 95);
    await rebind(rules[0]?.notifyId ?? '', { levels: ['P0', 'P1'] });
    await later(10 * MINUTE + SECOND);
    await gets('alarm.fired 1');
    expect(taken()[0]?.data.level).toBe('P1');
    await later(HOUR);
    expect(taken()).toHaveLength(1);
    await rebind(rules[0]?.notifyId ?? '', { levels: [] });
    await later(SECOND);
    await later(10 * MINUTE + SECOND);
    await gets('alarm.fired 1', 'alarm.fired 1');
  });

  it('is left out of a step where it is confirmed meanwhile', async () => {
    const rules = await rulesOf({}, ['P2', 'P2', 'P2']);
    const [first, second] = rules;
    const id = first?.notifyId ?? '';
    const escalation = [{ channels: first?.channelIds, afterMs: MINUTE }];
    await change(id, { grouping, escalation });
    await all(rules, 95);
    await later(MINUTE + SECOND);
    world.clock.shift(10 * MINUTE - SECOND);
    if (second) await confirm(await alarmIdOf(second));
    await later(5 * SECOND);
    await gets('alarm.fired 2');
    await later(HOUR);
    expect(taken()).toHaveLength(1);
  });

  it.each([
    ['sooner', 1],
    ['later', 3],
  ])('goes out at the times of a digest that a change made %s', async (_what, hours) => {
    const digestIn = (after: number) => ({
      digest: { at: [time(after * HOUR).slice(0, 5)], levels: ['P2'] },
    });
    const changed = digestIn(hours);
    const rules = await rulesOf(digestIn(2), ['P2', 'P2']);
    await all(rules, 95);
    await change(rules[0]?.notifyId ?? '', changed);
    await later(SECOND);
    // Its time has no seconds: it may come almost a minute sooner.
    await later(hours * HOUR - 3 * MINUTE);
    expect(taken()).toEqual([]);
    await later(3 * MINUTE);
    await gets('alarm.fired 2');
  });

  it('goes out sooner where a change makes a group wait less', async () => {
    const rules = await rulesOf({ grouping: { by: [], waitMs: HOUR } }, ['P2', 'P2']);
    await all(rules, 95);
    await change(rules[0]?.notifyId ?? '', { grouping: { by: [], waitMs: MINUTE } });
    await later(SECOND);
    await later(MINUTE + 2 * SECOND);
    await gets('alarm.fired 2');
  });

  it('goes out together at once where a change ends the grouping', async () => {
    const rules = await rulesOf({ grouping }, ['P2', 'P2', 'P2']);
    await all(rules, 95);
    await change(rules[0]?.notifyId ?? '', {});
    await later(SECOND);
    await gets('alarm.fired 3');
  });

  it('goes out alone where its channel becomes a pager', async () => {
    const kind = { kind: 'ntfy' };
    const rules = await rulesOf({ grouping }, ['P2', 'P2'], { channelExt: { content: kind } });
    await all(rules, 95);
    await session.data(`${DATA}/notify/channel/update`, {
      id: rules[0]?.channelIds[0],
      target: `http://${hook.hostPort}`,
      credential: '0123456789abcdef0123456789abcdef',
      channelExt: { content: { kind: 'pagerduty' } },
    });
    await later(SECOND);
    const keys = () =>
      hook.received.map(({ body }) => String(JSON.parse(body).dedup_key)).toSorted();
    const ids = await Promise.all(rules.map(alarmIdOf));
    await eventually(
      async () => keys(),
      (some) => some.length === 2,
    );
    expect(keys()).toEqual(ids.map((id) => `alarm-${id}`).toSorted());
  });

  it('is not sent while its policy is disabled, nor where that ends after the alarm', async () => {
    const rules = await rulesOf({ grouping }, ['P2', 'P2', 'P2']);
    const [first] = rules;
    const id = first?.notifyId;
    await all(rules, 95);
    await session.data(`${DATA}/notify/update`, { id, enableFlag: 'DISABLE' });
    await later(HOUR);
    expect(taken()).toEqual([]);
    await first?.measure(20);
    await session.data(`${DATA}/notify/update`, { id, enableFlag: 'ENABLE' });
    await later(SECOND);
    await later(10 * MINUTE + SECOND);
    await gets('alarm.fired 2');
  });
});

describe('a message about several alarms', () => {
  it('counts for the rate of each of them', async () => {
    const rateLimit = { intervalMs: 2 * HOUR };
    const rules = await rulesOf({ grouping: { by: [], waitMs: 10 * SECOND }, rateLimit }, [
      'P1',
      'P2',
      'P3',
    ]);
    await all(rules, 95);
    await later(11 * SECOND);
    await gets('alarm.fired 3');
    await all(rules, 20);
    await later(11 * SECOND);
    await gets('alarm.fired 3', 'alarm.recovered 3');
    await all(rules, 95);
    await later(HOUR);
    await later(MINUTE);
    expect(taken()).toHaveLength(2);
    await later(HOUR);
    await later(11 * SECOND);
    await gets('alarm.fired 3', 'alarm.recovered 3', 'alarm.fired 3');
  });

  it('is repeated as one, of those that are not confirmed', async () => {
    const repeat = { enabled: true, intervalMs: HOUR };
    const rules = await rulesOf({ grouping, repeat }, ['P2', 'P2', 'P2']);
    const [first] = rules;
    await all(rules, 95);
    await later(10 * MINUTE + SECOND);
    await gets('alarm.fired 3');
    if (first) await confirm(await alarmIdOf(first));
    await later(HOUR + SECOND);
    await later(10 * MINUTE + SECOND);
    await gets('alarm.fired 3', 'alarm.fired 2');
    expect(taken()[1]?.data.subject).toBe('[P2] 2 alarms still fire');
  });

  it('of a step does not go out once all of them are confirmed', async () => {
    const rules = await rulesOf({}, ['P2', 'P2']);
    const [first, second] = rules;
    if (!first || !second) throw new Error('no rules');
    const escalation = [{ channels: first.channelIds, afterMs: MINUTE }];
    const waits = { by: [], waitMs: 10 * SECOND };
    await change(first.notifyId, { grouping: waits, escalation });
    hook.answer(status(503));
    await all(rules, 95);
    await later(MINUTE + SECOND);
    await later(11 * SECOND);
    await asked(1);
    await confirm(await alarmIdOf(first));
    await confirm(await alarmIdOf(second));
    await later(3 * SECOND);
    await first.until(FAILED);
    hook.answer(status(204));
    await later(HOUR);
    expect(await first.history()).toHaveLength(1);
    expect(taken()).toHaveLength(1);
  });

  it('says of each alarm whether it is confirmed or in maintenance, and what calls for it', async () => {
    const rules = await rulesOf({ grouping }, ['P2', 'P2', 'P2']);
    const [first, second] = rules;
    if (!first || !second) throw new Error('no rules');
    await addTo(session, 'maintenance', {
      maintenanceName: 'new fan',
      scopeFlag: 'DEVICE',
      modeFlag: 'MARK',
      entityIds: [first.plant.deviceId],
      endTime: new Date(world.clock.now() + HOUR).toISOString(),
    });
    await all(rules, 95);
    await confirm(await alarmIdOf(second));
    await later(10 * MINUTE + SECOND);
    await gets('alarm.fired 3');
    const lines = taken()[0]?.data.text.split('\n') ?? [];
    expect(lines.filter((line) => line.includes('In maintenance: "new fan"'))).toHaveLength(1);
    expect(lines.filter((line) => line.endsWith('confirmed)'))).toHaveLength(1);
  });

  it('says how many more there are than it lists', async () => {
    const levels = Array.from({ length: 23 }, () => 'P3');
    const rules = await rulesOf({ grouping }, levels);
    await all(rules, 95);
    await rules[0]?.measure(20);
    await later(10 * MINUTE + SECOND);
    await gets('alarm.fired 22');
    expect(taken()[0]?.data.text).toContain('\nand 2 more');
    expect(taken()[0]?.data.group?.alarmIds).toHaveLength(22);
  });

  it('is the last notification of each of them', async () => {
    const rules = await rulesOf({ grouping }, ['P2', 'P2']);
    await all(rules, 95);
    await later(10 * MINUTE + SECOND);
    await gets('alarm.fired 2');
    for (const { state } of rules) expect((await state())?.lastNotifyTime).not.toBeNull();
  });

  it('does not hold back the end of one of them', async () => {
    const rules = await rulesOf({ grouping: { by: [], waitMs: 10 * SECOND } }, ['P2', 'P2']);
    await all(rules, 95);
    await later(11 * SECOND);
    await gets('alarm.fired 2');
    await rules[0]?.measure(20);
    await later(11 * SECOND);
    await gets('alarm.fired 2', 'alarm.recovered 1');
  });
});
