import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { markdownOf } from '../../src/agentic/action/card/words/markdown.ts';
import { ActionView } from '../../src/agentic/action/view.ts';
import * as proposing from '../../src/agentic/propose/proposing.ts';
import { inTenant } from '../../src/db/tenant.ts';
import type { Caller } from '../../src/kernel/app/app.ts';
import { addTo, DATA } from '../support/devices/notify.ts';
import { add } from '../support/devices/plant.ts';
import { watched } from '../support/devices/watched.ts';
import type { Session } from '../support/people/session.ts';
import { AnyRecords } from '../support/people/shapes.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn, toolNamed } from '../tools/agent.ts';

const AGENTIC = '/api/v3/agentic/action';
const PROPOSE = 'svc-center-agentic:alarm:propose';
const HOUR = 3_600_000;

const world = startedWorld();

const Proposed = z.looseObject({
  actionId: z.string(),
  say: z.string(),
  repeated: z.boolean().optional(),
});

const run = async (name: string, caller: Caller, input: object) =>
  Proposed.parse(await toolNamed(name).run(world.app, caller, input));
const limited = (session: Session, codes: readonly string[]): Caller => ({
  ...agentIn(session),
  permissions: new Set(codes),
});
const look = async (session: Session, actionId: string) =>
  ActionView.parse(await session.data(`${AGENTIC}/get`, undefined, { actionId }));
const confirm = async (session: Session, actionId: string) => {
  const { digest } = await look(session, actionId);
  return session.post(`${AGENTIC}/confirm`, { actionId, digest });
};
const rulesOf = async (session: Session) =>
  AnyRecords.parse(await session.data(`${DATA}/rule/list`, {})).records;
const contentAt = (threshold: number, more: object = {}) => ({
  content: { condition: { field: 'calValue', operator: '>', threshold }, ...more },
});

describe('what a person sees of a rule', () => {
  it('has its hours, recovery, levels and policy, before and after, on every card', async () => {
    const mine = await world.tenant('whole');
    const notifyId = await addTo(mine, 'notify', { notifyName: 'night shift' });
    const { ruleId } = await watched(world, mine, 'kiln', { unit: '°C', notifyId });
    const ruleExt = contentAt(80, {
      recovery: { operator: '<', threshold: -200 },
      schedule: [{ start: '03:00', end: '03:01', daysOfWeek: [7], timezone: 'UTC' }],
      levels: [{ severity: 'P0', threshold: 95 }],
      instruction: 'Open the door.',
    });
    const proposed = await mine.data(`${AGENTIC}/propose_rule_change`, { ruleId, ruleExt });
    const action = await look(mine, Proposed.parse(proposed).actionId);
    expect(action.alarm).toMatchObject({
      notifyName: 'night shift',
      instructionBefore: '',
      instruction: 'Open the door.',
      terms: [
        { of: 'recovery', wordsBefore: '', words: '< -200 °C' },
        { of: 'schedule', wordsBefore: '', words: '03:00 to 03:01 Sun (UTC)' },
        { of: 'levels', wordsBefore: '', words: 'P0 at 95 °C' },
      ],
    });
    for (const part of [
      'Over at: < -200 °C, before: not set.',
      'Hours: 03:00 to 03:01 Sun (UTC), before: not set.',
      'What to do: “Open the door.”, before: not set.',
      'The policy “night shift” notifies of it.',
    ])
      expect(action.say).toContain(part);
    const markdown = markdownOf(action, { base: 'http://x', at: 'now' });
    expect(markdown).toContain('Hours');
    expect(markdown).toContain('night shift');
  });

  it('names the device that a rule is for, and has what it would have raised there', async () => {
    const mine = await world.tenant('place');
    const { site } = await watched(world, mine, 'kiln');
    const ruleExt = {
      content: { condition: { field: 'statusName', operator: 'eq', expected: 'OFFLINE' } },
    };
    const ruleId = await addTo(mine, 'rule', {
      ruleName: 'gone',
      alarmTargetTypeFlag: 'DEVICE',
      entityId: site.deviceId,
      ruleExt,
    });
    const { actionId } = await run('proposeRuleChange', agentIn(mine), { ruleId, level: 'P0' });
    const { alarm, say } = await look(mine, actionId);
    const backtest = { before: 0, after: 0, devices: 1, values: 0, unknown: ['OUTAGES'] };
    expect(alarm).toMatchObject({ watches: 'kiln device', backtest });
    expect(say).toContain('Outages without an alarm are not stored');
    const codes = [PROPOSE, 'svc-center-data:rule:get'];
    const blind = { ruleId, level: 'P1', reason: 'no right' };
    const other = await run('proposeRuleChange', limited(mine, codes), blind);
    expect((await look(mine, other.actionId)).alarm).toMatchObject({ backtest: null });
  });

  it('warns of a point without a number in 7 days, and has its longest gap', async () => {
    const mine = await world.tenant('numberless');
    const { ruleId, measure } = await watched(world, mine, 'kiln');
    const held = { ruleId, hold: 'PT10M', maxGap: 'PT2M', reason: 'gaps' };
    const silent = await look(mine, (await run('proposeRuleChange', agentIn(mine), held)).actionId);
    expect(silent.alarm).toMatchObject({ backtest: { values: 0, warnings: ['NO_NUMBER'] } });
    expect(silent.say).toContain('No value');
    expect(silent.say).toContain('2 min');
    await measure(70);
    const again = { ...held, level: 'P0', reason: 'a value' };
    const now = await look(mine, (await run('proposeRuleChange', agentIn(mine), again)).actionId);
    expect(now.alarm).toMatchObject({ backtest: { values: 1, warnings: [] } });
  });

  it('names the devices and groups that it is for', async () => {
    const mine = await world.tenant('chosen');
    const { site, ruleId } = await watched(world, mine, 'kiln');
    const groupId = await add(mine, 'group', { groupName: 'kilns', groupTypeFlag: 'DEVICE' });
    const devices = { ids: [site.deviceId], groupIds: [groupId] };
    const proposed = await mine.data(`${AGENTIC}/propose_rule_change`, {
      ruleId,
      ruleExt: contentAt(80, { devices }),
    });
    const action = await look(mine, Proposed.parse(proposed).actionId);
    expect(action.say).toContain('Only on: “kiln device” and the devices of “kilns”');
  });

  it('is looked at again where a point that it names became another one', async () => {
    const mine = await world.tenant('swapped');
    const { site, ruleId } = await watched(world, mine, 'kiln');
    const point = (pointName: string) =>
      add(mine, 'point', {
        pointName,
        pointTypeFlag: 'DOUBLE',
        rwFlag: 'READ_ONLY',
        profileId: site.profileId,
      });
    const [inlet, outlet] = [await point('inlet'), await point('outlet')];
    const content = { condition: { formula: 'value - inlet', operator: '>', threshold: 5 } };
    const proposed = await mine.data(`${AGENTIC}/propose_rule_change`, {
      ruleId,
      ruleExt: { content },
    });
    const { actionId } = Proposed.parse(proposed);
    const { digest } = await look(mine, actionId);
    const rename = (id: string, pointName: string) =>
      mine.data('/api/v3/manager/point/update', { id, pointName });
    await rename(inlet, 'old inlet');
    await rename(outlet, 'inlet');
    const { status, body } = await mine.post(`${AGENTIC}/confirm`, { actionId, digest });
    expect(status).toBe(412);
    expect(body.message).toContain('the points that its condition names');
    expect((await rulesOf(mine))[0]).toMatchObject({
      ruleExt: { content: { condition: { threshold: 80 } } },
    });
    expect((await confirm(mine, actionId)).status).toBe(200);
    expect((await rulesOf(mine))[0]).toMatchObject({
      ruleExt: { content: { points: { inlet: outlet } } },
    });
  });
});

describe('a proposal of a rule', () => {
  it('with the same key answers the same action after its confirmation, and tries nothing again', async () => {
    const mine = await world.tenant('keyed');
    const { ruleId } = await watched(world, mine, 'kiln');
    const given = { ruleId, threshold: 85, idempotencyKey: 'once' };
    const { actionId } = await run('proposeRuleChange', agentIn(mine), given);
    world.clock.shift(1_000);
    expect((await confirm(mine, actionId)).status).toBe(200);
    // Without the right to read values: a preview would be refused.
    const later = limited(mine, [PROPOSE, 'svc-center-data:rule:get']);
    expect(await run('proposeRuleChange', later, given)).toMatchObject({
      actionId,
      repeated: true,
      status: 'EXECUTED',
    });
    const other = run('proposeRuleChange', agentIn(mine), { ...given, threshold: 86 });
    await expect(other).rejects.toThrow('was used with other arguments');
  });

  it('mends a stored rule that makes no sense any more', async () => {
    const mine = await world.tenant('mended');
    const { ruleId, measure } = await watched(world, mine, 'kiln');
    await measure(70, 90, 70);
    const broken = contentAt(80, { recovery: { operator: '<=', threshold: 99 } });
    await inTenant(world.app.db, mine.tenantId, (q) =>
      q
        .updateTable('svc_rule')
        .set({ ruleExt: JSON.stringify(broken) })
        .where('id', '=', ruleId)
        .execute(),
    );
    const { actionId } = await run('proposeRuleChange', agentIn(mine), { ruleId, recoverAt: 75 });
    expect((await look(mine, actionId)).alarm).toMatchObject({
      backtest: { before: null, after: 1 },
    });
    expect((await confirm(mine, actionId)).status).toBe(200);
  });

  it('over REST is refused by a switch before anything is tried', async () => {
    const mine = await world.tenant('gated');
    await mine.data('/api/v3/auth/mcp/switch/set', { mode: 'READ_ONLY' });
    const rule = { ruleName: 'x', pointId: '9', notifyId: '0', ruleExt: contentAt(5), reason: '' };
    const input = proposing.ProposeRule.parse(rule);
    await expect(proposing.proposeRule(world.app, agentIn(mine), input)).rejects.toThrow(
      'Nothing was proposed',
    );
  });

  it('and of alarms shows no rule or alarm without the right to read them', async () => {
    const mine = await world.tenant('unread');
    const { ruleId, measure } = await watched(world, mine, 'kiln');
    await measure(81);
    const found = await toolNamed('searchAlarms').run(world.app, agentIn(mine), {});
    const [alarm] = AnyRecords.parse(found).records;
    const alarmId = String(alarm?.['alarmId']);
    const values = 'svc-center-data:point_value:list';
    const of = [
      ['proposeRuleChange', { ruleId, threshold: 85 }, 'svc-center-data:rule:get'],
      ['proposeSilence', { alarmId, hours: 1 }, 'svc-center-data:dashboard:list'],
      ['proposeConfirmation', { alarmIds: [alarmId] }, 'svc-center-data:dashboard:list'],
    ] as const;
    for (const [name, input, reads] of of) {
      const without = run(name, limited(mine, [PROPOSE, values]), input);
      await expect(without).rejects.toMatchObject({ status: 403 });
      await run(name, limited(mine, [PROPOSE, values, reads]), input);
    }
  });
});

describe('a silence', () => {
  it('says which one it replaces, and is looked at again where a colleague silences meanwhile', async () => {
    const mine = await world.tenant('hushed');
    const { measure } = await watched(world, mine, 'kiln');
    await measure(81);
    const found = await toolNamed('searchAlarms').run(world.app, agentIn(mine), {});
    const [alarm] = AnyRecords.parse(found).records;
    const alarmId = String(alarm?.['alarmId']);
    const { actionId } = await run('proposeSilence', agentIn(mine), { alarmId, hours: 1 });
    expect((await look(mine, actionId)).alarm).toMatchObject({ already: null });
    const until = new Date(world.clock.now() + 9 * HOUR).toISOString();
    await mine.data(`${DATA}/dashboard/alert/silence`, { id: alarmId, until });
    const { status, body } = await confirm(mine, actionId);
    expect(status).toBe(412);
    expect(body.message).toContain('the silence that is there already');
    const renewed = await look(mine, actionId);
    expect(renewed.alarm).toMatchObject({ already: { until, by: 'hushed-admin' } });
    expect(renewed.say).toContain('It replaces the silence of “hushed-admin” until');
    expect((await confirm(mine, actionId)).status).toBe(200);
  });
});
