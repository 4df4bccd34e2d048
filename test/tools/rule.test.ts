import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { addTo, DATA } from '../support/devices/notify.ts';
import { watched } from '../support/devices/watched.ts';
import type { Session } from '../support/people/session.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn, toolNamed } from './agent.ts';

const world = startedWorld();

const Found = z.object({ records: z.array(z.looseObject({ ruleId: z.string() })) });
const Explained = z.looseObject({ why: z.array(z.string()) });

const run = async (session: Session, name: string, input: object): Promise<object> => {
  const answer = await toolNamed(name).run(world.app, agentIn(session), input);
  return z.looseObject({}).parse(JSON.parse(JSON.stringify(answer)));
};
const explain = async (session: Session, ruleId: string) =>
  Explained.parse(await run(session, 'lookupRuleById', { ruleId }));

describe('rules for agents', () => {
  it('are found by name and by point, each with its condition', async () => {
    const mine = await world.tenant('found-rules');
    const { site, ruleId } = await watched(world, mine, 'kiln', { unit: '°C' });
    await watched(world, mine, 'oven');
    const rule = {
      ruleId,
      rule: 'kiln too hot',
      target: 'POINT',
      entityId: site.pointId,
      condition: 'calValue > 80 °C',
      level: 'P2',
      enabled: true,
    };
    for (const input of [{ query: 'kiln' }, { pointId: 'kiln set-point' }])
      expect(Found.parse(await run(mine, 'searchRules', input)).records).toEqual([rule]);
    expect(Found.parse(await run(mine, 'searchRules', {})).records).toHaveLength(2);
  });

  it('are explained: why one fires or does not, how often it did, and what is odd about it', async () => {
    const mine = await world.tenant('explained-rules');
    const { ruleId, measure } = await watched(world, mine, 'kiln', { unit: '°C' });
    expect((await explain(mine, ruleId)).why).toEqual([
      'It does not fire, and nothing that it watches has been looked at yet.',
    ]);
    await measure(70);
    expect(await explain(mine, ruleId)).toMatchObject({
      watches: 'kiln set-point',
      last7d: 0,
      why: [
        expect.stringMatching(
          /^The last value of “kiln device”, 70 °C, .* old, does not meet its condition\.$/,
        ),
      ],
    });
    await measure(85);
    expect(await explain(mine, ruleId)).toMatchObject({
      last7d: 1,
      why: [
        expect.stringMatching(/^It fires at “kiln device” for .+\.$/),
        expect.stringContaining('meets its condition'),
      ],
    });
    await mine.data(`${DATA}/rule/update`, { id: ruleId, enableFlag: 'DISABLE' });
    expect((await explain(mine, ruleId)).why).toEqual(['It is disabled: nothing is looked at.']);
  });

  it('are tried before they are stored: a new one, and a change of a stored one', async () => {
    const mine = await world.tenant('tried-rules');
    const { site, ruleId, measure } = await watched(world, mine, 'kiln', { unit: '°C' });
    await measure(70, 81, 70, 86, 70);
    const tried = (input: object) => run(mine, 'previewRule', input);
    expect(await tried({ ruleId })).toMatchObject({ count: 2, raised: 2, devices: 1, values: 5 });
    expect(await tried({ ruleId, threshold: 85 })).toMatchObject({
      count: 1,
      raised: 2,
      episodes: [{ device: 'kiln device', extreme: 86 }],
    });
    expect(await tried({ pointId: site.pointId, operator: '<', threshold: 75 })).toMatchObject({
      count: 3,
    });
    expect(await tried({ ruleId, hold: 'PT1H' })).toMatchObject({ count: 0 });
    await expect(tried({ ruleId, maxGap: 'PT1M' })).rejects.toThrow('hold for a time');
    expect(await tried({ ruleId, hold: 'PT1S', maxGap: 'PT1M' })).toMatchObject({ devices: 1 });
    await measure(81, 79, 81, 79, 81, 79, 81, 60);
    expect(await tried({ ruleId })).toMatchObject({
      count: 6,
      worst: 6,
      suggested: { recoverAt: 78, recoverAtLeaves: 3 },
    });
    await expect(tried({ pointId: site.pointId })).rejects.toThrow('operator');
    await expect(tried({ operator: '>', threshold: 1 })).rejects.toThrow('pointId');
    await expect(tried({ ruleId, operator: 'between', low: 1 })).rejects.toThrow('low and high');
    expect(await tried({ ruleId, recoverAt: 60 })).toMatchObject({ count: 1 });
  });

  it('are tried whatever they are on, with what cannot be known', async () => {
    const mine = await world.tenant('tried-kinds');
    const { site, measure } = await watched(world, mine, 'kiln');
    const { deviceId } = site;
    const added = (target: string, entityId: string, condition: object) =>
      addTo(mine, 'rule', {
        ruleName: fresh('tried'),
        alarmTargetTypeFlag: target,
        entityId,
        ruleExt: { content: { condition } },
      });
    const tried = (ruleId: string, more: object = {}) =>
      run(mine, 'previewRule', { ruleId, ...more });
    const faulty = { field: 'statusName', operator: 'eq', expected: 'FAULT' };
    const ruleId = await added('DEVICE', deviceId, faulty);
    await world.bus.handled(
      'svc.e.alarm',
      {
        tenantId: mine.tenantId,
        target: 'DEVICE',
        entityId: deviceId,
        type: 'FAULT',
        source: 'DEVICE_REPORT',
        message: 'jammed',
        occurTime: world.clock.now(),
      },
      mine.tenantId,
    );
    expect(await tried(ruleId)).toMatchObject({
      count: 1,
      raised: 1,
      episodes: [{ device: 'kiln device' }],
      warnings: [expect.stringContaining('Outages without an alarm')],
    });
    expect(await tried(ruleId, { hold: 'PT1H' })).toMatchObject({ count: 0, raised: 1 });
    const leak = { field: 'eventCode', operator: 'eq', expected: 'leak' };
    const ofEvents = await tried(await added('EVENT', '0', leak));
    expect(ofEvents).toMatchObject({
      count: 0,
      warnings: [expect.stringContaining('confirmation')],
    });
    const every = await added('POINT', '0', { field: 'value', operator: '>', threshold: 80 });
    await measure(85, 70);
    expect(await tried(every)).toMatchObject({ count: 1, episodes: [{ place: 'kiln set-point' }] });
    expect(await tried(every, { pointId: site.pointId })).toMatchObject({ count: 1 });
    await expect(tried(ruleId, { pointId: site.pointId })).rejects.toThrow('on a DEVICE');
  });

  it('of another tenant are not found', async () => {
    const { ruleId } = await watched(world, await world.tenant('rule-owner'), 'kiln');
    const other = await world.tenant('rule-other');
    await expect(explain(other, ruleId)).rejects.toThrow('Rule');
    await expect(run(other, 'previewRule', { ruleId })).rejects.toThrow('Rule');
    expect(Found.parse(await run(other, 'searchRules', {})).records).toEqual([]);
  });
});
