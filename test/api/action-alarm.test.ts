import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { scanHeld } from '../../src/alarm/watch/held.ts';
import { scanOutages } from '../../src/alarm/watch/outage.ts';
import type { Caller } from '../../src/kernel/app/app.ts';
import { DATA } from '../support/devices/notify.ts';
import { watched } from '../support/devices/watched.ts';
import { login, type Session } from '../support/people/session.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn, toolNamed } from '../tools/agent.ts';

const AGENTIC = '/api/v3/agentic/action';
const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

const world = startedWorld();

const Action = z.looseObject({
  actionId: z.string(),
  status: z.string(),
  digest: z.string(),
  say: z.string(),
});
const Proposed = z.looseObject({
  actionId: z.string(),
  say: z.string(),
  repeated: z.boolean().optional(),
});
const Rules = z.object({ records: z.array(z.looseObject({ id: z.string() })) });
const Found = z.object({ records: z.array(z.looseObject({ alarmId: z.string() })) });

const propose = async (session: Session, name: string, input: object, more: Partial<Caller> = {}) =>
  Proposed.parse(await toolNamed(name).run(world.app, { ...agentIn(session), ...more }, input));
const look = async (session: Session, actionId: string) =>
  Action.parse(await session.data(`${AGENTIC}/get`, undefined, { actionId }));
const confirm = async (session: Session, actionId: string) => {
  const { digest } = await look(session, actionId);
  return session.post(`${AGENTIC}/confirm`, { actionId, digest });
};
const rulesOf = async (session: Session) =>
  Rules.parse(await session.data(`${DATA}/rule/list`, {})).records;
const alarmsOf = async (session: Session) =>
  Found.parse(await toolNamed('searchAlarms').run(world.app, agentIn(session), {})).records;
const changesOf = async (session: Session, entityType: string) =>
  z
    .object({ records: z.array(z.looseObject({ entityType: z.string(), operation: z.string() })) })
    .parse(await session.data(`${DATA}/change/list`, {}))
    .records.filter((row) => row.entityType === entityType);

describe('a rule that an agent proposes', () => {
  it('is stored once, by the person that confirmed its card, which shows what it would have raised', async () => {
    const mine = await world.tenant('new-rule');
    const { site, measure } = await watched(world, mine, 'kiln', { unit: '°C' });
    await measure(70, 75, 70, 76, 70);
    const rule = {
      pointId: 'kiln set-point',
      ruleName: 'kiln warm',
      operator: '>',
      threshold: 72,
      level: 'P1',
      instruction: 'Open the door.',
      reason: 'It comes before the alarm.',
    };
    const { actionId, ...said } = await propose(mine, 'proposeRule', rule);
    expect(said).toMatchObject({ alarmsAfter: 2, pendingConfirmation: true });
    expect(said.say).toMatch(
      /^Add the rule “kiln warm” on “kiln set-point”: value > 72 °C \(P1\)\. What to do: “Open the door\.”\. From .* on 1 device: it would have raised 2 alarms\. Not executed/,
    );
    expect(await propose(mine, 'proposeRule', rule)).toMatchObject({ actionId, repeated: true });
    expect(await rulesOf(mine)).toHaveLength(1);
    expect((await mine.post(`${AGENTIC}/confirm`, { actionId })).status).toBe(412);
    expect(await rulesOf(mine)).toHaveLength(1);
    expect((await confirm(mine, actionId)).status).toBe(200);
    expect((await confirm(mine, actionId)).status).toBe(200);
    const [stored, ...others] = await rulesOf(mine);
    expect(others).toHaveLength(1);
    expect(stored).toMatchObject({
      ruleName: 'kiln warm',
      entityId: site.pointId,
      creatorName: 'new-rule-admin',
      ruleExt: {
        content: {
          condition: { field: 'value', operator: '>', threshold: 72 },
          severity: 'P1',
          instruction: 'Open the door.',
        },
      },
    });
    expect(await look(mine, actionId)).toMatchObject({
      status: 'EXECUTED',
      kind: 'rule',
      done: true,
      result: { ruleId: stored?.id },
      say: `The rule “kiln warm” was added (id ${stored?.id}), confirmed by “new-rule-admin”.`,
    });
  });

  it('is not stored before, nor when it is rejected, and agents cannot confirm it', async () => {
    const mine = await world.tenant('no-rule');
    await watched(world, mine, 'kiln');
    const rule = { pointId: 'kiln set-point', ruleName: 'x', operator: '<', threshold: 1 };
    const { actionId } = await propose(mine, 'proposeRule', rule);
    expect((await mine.post(`${AGENTIC}/reject`, { actionId, reason: 'Too low' })).status).toBe(
      200,
    );
    expect(await look(mine, actionId)).toMatchObject({
      status: 'REJECTED',
      say: expect.stringMatching(
        /^The rule “x” was not added: rejected by “no-rule-admin” .*, saying “Too low”\. Nothing was changed\.$/,
      ),
    });
    expect((await confirm(mine, actionId)).status).toBe(409);
    expect(await rulesOf(mine)).toHaveLength(1);
    const refused = { ...rule, operator: '>', threshold: 72, ruleName: 'kiln too hot' };
    await expect(propose(mine, 'proposeRule', refused)).rejects.toThrow('There is a rule');
    const nonsense = { ...rule, ruleName: 'y', recoverAt: 0.5 };
    await expect(propose(mine, 'proposeRule', nonsense)).rejects.toThrow(
      'some values that are >= 0.5 still meet the condition: they would fire and be over by turns',
    );
  });
});

describe('a rule on a device that an agent proposes', () => {
  it('is tried on the outages of the device, and fires while it is offline', async () => {
    const mine = await world.tenant('outage-rule');
    const { site } = await watched(world, mine, 'kiln');
    const { tenantId } = mine;
    const become = async (status: 'ONLINE' | 'OFFLINE') => {
      const devices = [{ tenantId, deviceId: site.deviceId, status, description: '' }];
      const of = { driverCode: site.driverCode, node: world.app.config.node, leaseMs: 86_400_000 };
      const state = { ...of, devices, at: world.clock.now() };
      await world.bus.handled('svc.e.state', state, of.driverCode);
      await scanOutages(world.app);
      world.clock.shift(20 * 60_000);
    };
    for (const status of ['ONLINE', 'OFFLINE', 'ONLINE'] as const) await become(status);
    const rule = { deviceId: 'kiln', hold: 'PT10M', level: 'P1' };
    const agent = agentIn(mine);
    const tried = await toolNamed('previewRule').run(world.app, agent, rule);
    expect(tried).toMatchObject({ count: 1, devices: 1 });
    const { actionId, ...said } = await propose(mine, 'proposeRule', { ...rule, ruleName: 'cold' });
    expect(said).toMatchObject({ alarmsAfter: 1 });
    expect(said.say).toMatch(
      /^Add the rule “cold” on “kiln device”: statusName eq “OFFLINE” for 10 min \(P1\)/,
    );
    expect((await confirm(mine, actionId)).status).toBe(200);
    expect((await rulesOf(mine))[0]).toMatchObject({
      ruleName: 'cold',
      entityId: site.deviceId,
      ruleExt: { content: { condition: { field: 'statusName', expected: 'OFFLINE' } } },
    });
    await become('OFFLINE');
    await scanHeld(world.app, 'state');
    expect(await alarmsOf(mine)).toContainEqual(expect.objectContaining({ level: 'P1' }));
  });

  it('is refused with a condition, with a point beside the device, and with neither', async () => {
    const mine = await world.tenant('no-outage-rule');
    await watched(world, mine, 'kiln');
    const rule = { deviceId: 'kiln', ruleName: 'cold' };
    await expect(propose(mine, 'proposeRule', { ...rule, operator: '>' })).rejects.toThrow(
      'a rule on a device fires while it is offline',
    );
    for (const wrong of [
      { ...rule, pointId: 'kiln set-point', operator: 'nodata', hold: 'PT10M' },
      { ruleName: 'cold', operator: '>', threshold: 1 },
    ])
      await expect(propose(mine, 'proposeRule', wrong)).rejects.toThrow('Give pointId or deviceId');
  });
});

describe('a change of a rule that an agent proposes', () => {
  it('shows how often the rule fires before and after, and is made by the person that confirmed it', async () => {
    const mine = await world.tenant('tuned');
    const { ruleId, measure } = await watched(world, mine, 'kiln', { unit: '°C' });
    await measure(70, 81, 70, 82, 70, 90, 70);
    const change = { ruleId, threshold: 85, recoverAt: 80, reason: 'It flaps.' };
    const { actionId, ...said } = await propose(mine, 'proposeRuleChange', change);
    expect(said).toMatchObject({ alarmsBefore: 3, alarmsAfter: 1 });
    expect(said.say).toMatch(
      /^Change the rule “kiln too hot” on “kiln set-point” from calValue > 80 °C \(P2\) to calValue > 85 °C \(P2\)\. .*: 3 alarms before, 1 after\./,
    );
    expect(await look(mine, actionId)).toMatchObject({
      kind: 'rule_change',
      reason: 'It flaps.',
      alarm: { does: 'CHANGE_RULE', backtest: { before: 3, after: 1, devices: 1 } },
    });
    expect((await confirm(mine, actionId)).status).toBe(200);
    expect((await rulesOf(mine))[0]).toMatchObject({
      operatorName: 'tuned-admin',
      ruleExt: {
        content: {
          condition: { field: 'calValue', threshold: 85, unit: '°C' },
          recovery: { operator: '<=', threshold: 80 },
        },
      },
    });
    const updates = (await changesOf(mine, 'rule')).filter(
      ({ operation }) => operation === 'UPDATE',
    );
    expect(updates).toMatchObject([{ actorName: 'tuned-admin', via: 'login' }]);
    expect((await look(mine, actionId)).say).toBe(
      `The rule “kiln too hot” was changed (id ${ruleId}), confirmed by “tuned-admin”.`,
    );
  });

  it('is refused once the rule was changed since', async () => {
    const mine = await world.tenant('stale');
    const { ruleId } = await watched(world, mine, 'kiln');
    const { actionId } = await propose(mine, 'proposeRuleChange', { ruleId, threshold: 85 });
    const content = { condition: { field: 'calValue', operator: '>', threshold: 99 } };
    world.clock.shift(1_000);
    await mine.data(`${DATA}/rule/update`, { id: ruleId, ruleExt: { content } });
    const { status, body } = await confirm(mine, actionId);
    expect(status).toBe(412);
    expect(body.message).toContain('the rule was changed since it was proposed');
    expect((await rulesOf(mine))[0]).toMatchObject({
      ruleExt: { content: { condition: { threshold: 99 } } },
    });
    expect(await look(mine, actionId)).toMatchObject({ status: 'PENDING', result: null });
  });

  it('waits while agents are stopped, and is of another tenant nowhere', async () => {
    const mine = await world.tenant('held');
    const { ruleId } = await watched(world, mine, 'kiln');
    const { actionId } = await propose(mine, 'proposeRuleChange', { ruleId, threshold: 85 });
    const turn = (mode: string) => mine.data('/api/v3/auth/mcp/switch/set', { mode });
    await turn('READ_ONLY');
    expect((await confirm(mine, actionId)).status).toBe(409);
    await turn('ON');
    const other = await world.tenant('held-other');
    await expect(propose(other, 'proposeRuleChange', { ruleId, threshold: 85 })).rejects.toThrow(
      'Rule',
    );
    expect((await confirm(mine, actionId)).status).toBe(200);
  });
});

describe('a silence and a confirmation that an agent proposes', () => {
  it('are done by the person that confirmed them, each once', async () => {
    const mine = await world.tenant('quiet');
    const kiln = await watched(world, mine, 'kiln');
    const oven = await watched(world, mine, 'oven');
    await kiln.measure(81);
    await oven.measure(81);
    const alarmIds = (await alarmsOf(mine)).map(({ alarmId }) => alarmId);
    const [alarmId = ''] = alarmIds;
    const silence = await propose(mine, 'proposeSilence', { alarmId, hours: 2, reason: 'Repair' });
    expect(silence.say).toMatch(/^Silence the alarm “.+ for 2 h: nobody is notified/);
    const seen = await propose(mine, 'proposeConfirmation', { alarmIds, reason: 'One cause' });
    expect(seen.say).toMatch(/^Confirm 2 alarms: .+ Not executed/);
    const untouched = await alarmsOf(mine);
    expect(untouched.map(({ confirmed }) => confirmed)).toEqual([false, false]);
    expect((await confirm(mine, silence.actionId)).status).toBe(200);
    const report = await mine.data(`${DATA}/dashboard/alert/report`, undefined, { alarmId });
    expect(report).toMatchObject({ silenced: { by: 'quiet-admin', reason: 'Repair' } });
    expect((await look(mine, silence.actionId)).say).toMatch(
      /^The alarm “.+ is silenced until .+, confirmed by “quiet-admin”\.$/,
    );
    expect((await confirm(mine, seen.actionId)).status).toBe(200);
    const after = z
      .looseObject({})
      .parse(await mine.data(`${DATA}/dashboard/alert/report`, undefined, { alarmId }));
    expect(after).toMatchObject({ confirmed: true, confirmNote: 'One cause' });
    world.clock.shift(1_000);
    expect((await confirm(mine, silence.actionId)).status).toBe(200);
    expect((await confirm(mine, seen.actionId)).status).toBe(200);
    expect(await mine.data(`${DATA}/dashboard/alert/report`, undefined, { alarmId })).toMatchObject(
      {
        silenced: after.silenced,
        confirmed: true,
      },
    );
    expect(await look(mine, seen.actionId)).toMatchObject({
      status: 'EXECUTED',
      result: { alarms: 2 },
      say: expect.stringMatching(/^2 alarms \(.+\) were confirmed by “quiet-admin”\.$/),
    });
    await expect(propose(mine, 'proposeConfirmation', { alarmIds })).rejects.toThrow(
      'confirmed already',
    );
  });
});

// Last: it moves the clock past every login.
describe('what an agent proposes about alarms', () => {
  it('waits for a day, and is then confirmed by nobody', async () => {
    const mine = await world.tenant('a-day');
    const { ruleId, measure } = await watched(world, mine, 'kiln');
    await measure(81);
    const [alarm] = await alarmsOf(mine);
    const alarmId = alarm?.alarmId;
    const rule = await propose(mine, 'proposeRuleChange', { ruleId, threshold: 85 });
    const silence = await propose(mine, 'proposeSilence', { alarmId, hours: 1 });
    world.clock.shift(DAY - MINUTE);
    const enter = () =>
      login(world.base, 'a-day', 'a-day-admin', testEnvironment.SVC_ADMIN_PASSWORD);
    const late = await enter();
    for (const { actionId } of [rule, silence])
      expect((await look(late, actionId)).status).toBe('PENDING');
    world.clock.shift(MINUTE);
    for (const { actionId } of [rule, silence]) {
      expect((await look(late, actionId)).status).toBe('EXPIRED');
      expect((await confirm(late, actionId)).status).toBe(410);
    }
    expect((await rulesOf(late))[0]).toMatchObject({
      ruleExt: { content: { condition: { threshold: 80 } } },
    });
  });
});
