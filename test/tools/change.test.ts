import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { addTo, channelTo, DATA } from '../support/devices/notify.ts';
import { actionsIn } from '../support/people/actions.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboardVirtual, toolNamed } from './agent.ts';

const Lines = z.object({
  total: z.int().optional(),
  returned: z.int(),
  nextCursor: z.string().nullable(),
  records: z.array(
    z.looseObject({ at: z.string(), by: z.string(), via: z.string(), what: z.string() }),
  ),
});

const world = startedWorld();
const mine = prepared(() => world.tenant('changes'));
const site = prepared(() => onboardVirtual(world, 'boiler', mine));

async function search(input: object = {}, session = mine, caller = agentIn(session)) {
  const answer = await toolNamed('searchChanges').run(world.app, caller, input);
  expect(countTokens(JSON.stringify(answer))).toBeLessThanOrEqual(1_500);
  return Lines.parse(JSON.parse(JSON.stringify(answer)));
}
const lines = async (input: object = {}) => (await search(input)).records;

describe('searchChanges', () => {
  it('says of a configuration who changed what from what to what', async () => {
    await mine.data('/api/v3/manager/point/update', { id: site.pointId, maxValue: 40 });
    const condition = { field: 'calValue', operator: '>', threshold: 2.15 };
    const ruleId = await addTo(mine, 'rule', {
      ruleName: 'pressure high',
      alarmTargetTypeFlag: 'POINT',
      entityId: site.pointId,
      ruleExt: { content: { condition } },
    });
    const changed = { content: { condition: { ...condition, threshold: 2.18 } } };
    await mine.data(`${DATA}/rule/update`, { id: ruleId, ruleExt: changed });
    await channelTo(mine, {
      channelName: 'duty',
      channelTypeFlag: 'EMAIL',
      target: 'd@plant.example',
    });
    const [channel, rule, added, point] = await lines({ kind: 'configured' });
    expect(channel).toMatchObject({
      what: 'notify channel “duty” added',
      by: 'changes-admin',
      via: 'login',
    });
    expect(rule).toMatchObject({
      what: 'rule “pressure high” changed: condition.threshold',
      from: '2.15',
      to: '2.18',
    });
    expect(added).toMatchObject({ what: 'rule “pressure high” added' });
    expect(await lines({ kind: 'configured', pointId: site.pointId })).toContainEqual(
      expect.objectContaining({
        what: 'point setting “signal” added',
        to: 'setpoint',
      }),
    );
    expect(point).toMatchObject({
      point: 'boiler set-point',
      what: 'point changed: max value',
      from: '30',
      to: '40',
    });
  });

  it('says of a write who proposed and confirmed it, and what became of it', async () => {
    const actions = actionsIn(world, mine);
    const rejected = await actions.proposeIn(site, '23');
    await actions.decide('reject', rejected.actionId, { reason: 'too warm' });
    const { actionId } = await actions.proposeIn(site, '24');
    await actions.decide('confirm', actionId, { wait_ms: 10_000 });
    const place = { device: 'boiler device', point: 'boiler set-point', unit: '°C' };
    const [written] = await lines({ kind: 'written', deviceId: 'boiler' });
    expect(written).toMatchObject({
      ...place,
      what: 'write',
      by: '“agent” proposed, “changes-admin” confirmed',
      via: 'action',
      to: '24',
      result: 'EXECUTED',
      actionId,
    });
    expect(written).not.toHaveProperty('say');
    expect(await lines({ kind: 'decided' })).toMatchObject([
      { ...place, what: 'confirm', via: 'login', from: '20', to: '24' },
      { ...place, what: 'reject', comment: 'too warm', to: '23', actionId: rejected.actionId },
    ]);
    expect(await lines({ kind: 'proposed', via: 'oauth' })).toMatchObject([
      { ...place, what: 'propose', by: 'agent', to: '24' },
      { ...place, what: 'propose', by: 'agent', to: '23' },
    ]);
    const ofAgent = await lines({ by: 'AGENT', since: 1 });
    // The row of the write says its proposal and its confirmation.
    expect(ofAgent.map(({ what }) => what)).toEqual(['write', 'reject', 'propose']);
  });

  it('shows changes of rights to those only that may read the audit', async () => {
    await mine.data('/api/v3/auth/role/add', { roleName: 'shift', roleCode: 'shift' });
    expect((await lines({ kind: 'configured' }))[0]).toMatchObject({
      what: expect.stringMatching(/^role “shift” added$/),
      by: 'changes-admin',
    });
    const permissions = new Set(['svc-center-data:change:list']);
    const narrow = await search({ kind: 'configured' }, mine, { ...agentIn(mine), permissions });
    expect(JSON.stringify(narrow)).not.toContain('shift');
  });

  it('is read page by page, in a window of time and at one point', async () => {
    const all = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await search(cursor ? { cursor } : {});
      all.push(...page.records);
      cursor = page.nextCursor;
    }
    expect(all.length).toBeGreaterThan(12);
    expect(all.map(({ at }) => at)).toEqual(
      all
        .map(({ at }) => at)
        .toSorted()
        .toReversed(),
    );
    const until = new Date(world.clock.now() - 3_600_000).toISOString();
    expect(await lines({ until })).toEqual([]);
    const atPoint = await lines({ pointId: site.pointId });
    expect(atPoint.every(({ point }) => point === 'boiler set-point')).toBe(true);
    expect((await search({}, await world.tenant('elsewhere'))).records).toEqual([]);
  });

  it('folds what is alike, counts what it found, and takes the way in by its names alone', async () => {
    const busy = await world.tenant('busy');
    const add = (name: string) =>
      busy.data('/api/v3/manager/label/add', {
        labelName: name,
        labelColor: '#112233',
        entityTypeFlag: 'DEVICE',
      });
    for (let at = 0; at < 20; at += 1) await add(`label-${at}`);
    const boiler = await onboardVirtual(world, 'busy', busy);
    for (let at = 20; at < 40; at += 1) await add(`label-${at}`);
    const first = await search({ kind: 'configured' }, busy);
    expect(first.records[0]?.what).toBe('40 × label added');
    expect(first.total).toBeGreaterThan(40);
    expect(JSON.stringify(first.records)).not.toContain('label-3');
    const pages = [await search({ maxTokens: 100 }, busy)];
    for (let page = pages[0]; page && page.nextCursor !== null; page = pages.at(-1))
      pages.push(await search({ maxTokens: 100, cursor: page.nextCursor }, busy));
    const times = pages.flatMap(({ records }) => records.map(({ what }) => what));
    const labels = times.flatMap((what) =>
      what.includes('label') ? [Number(/^(\d+) ×/.exec(what)?.[1] ?? 1)] : [],
    );
    expect(labels.reduce((sum, one) => sum + one, 0)).toBe(40);
    expect((await search({ deviceId: boiler.deviceId }, busy)).records.length).toBeGreaterThan(0);
    expect((await search({ via: 'LOGIN' }, busy)).total).toBe(first.total);
    await expect(search({ via: 'mcp' }, busy)).rejects.toThrow('must be one of login, oauth');
  });
});
