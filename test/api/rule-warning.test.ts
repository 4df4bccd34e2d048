import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { addTo, DATA } from '../support/devices/notify.ts';
import { add } from '../support/devices/plant.ts';
import { watched } from '../support/devices/watched.ts';
import { worker } from '../support/people/accounts.ts';
import type { Session } from '../support/people/session.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn, toolNamed } from '../tools/agent.ts';

const MANAGER = '/api/v3/manager';
const world = startedWorld();

const Warned = z.looseObject({ id: z.string(), warnings: z.array(z.string()) });
const read = async (session: Session, id: string) =>
  Warned.parse(await session.data(`${DATA}/rule/get_by_id`, undefined, { id }));
const warningsOf = async (session: Session, id: string) => (await read(session, id)).warnings;
const ruleOn = (session: Session, entityId: string, content: object) =>
  addTo(session, 'rule', {
    ruleName: fresh('warned'),
    alarmTargetTypeFlag: 'POINT',
    entityId,
    ruleExt: { content },
  });
const pointIn = (session: Session, { profileId }: { profileId: string }, pointTypeFlag: string) =>
  add(session, 'point', {
    pointName: fresh('point'),
    pointTypeFlag,
    rwFlag: 'READ_ONLY',
    profileId,
  });
const above = { field: 'value', operator: '>', threshold: 80 };

describe('the warnings of a rule', () => {
  it('are answered with it, by id, and to agents: no number, texts, and what every value meets', async () => {
    const mine = await world.tenant('warned');
    const { site, ruleId, measure } = await watched(world, mine, 'kiln');
    const lookup = async () =>
      z
        .looseObject({ warnings: z.array(z.string()).optional() })
        .parse(await toolNamed('lookupRuleById').run(world.app, agentIn(mine), { ruleId }))
        .warnings;
    expect(await warningsOf(mine, ruleId)).toEqual(['NO_NUMBER']);
    expect(await lookup()).toEqual([expect.stringContaining('is a number that it compares')]);
    await measure(70);
    expect(await warningsOf(mine, ruleId)).toEqual([]);
    expect(await lookup()).toBeUndefined();
    const every = await ruleOn(mine, site.pointId, { condition: { ...above, operator: '!=' } });
    expect(await warningsOf(mine, every)).toEqual([]);
    const code = await pointIn(mine, site, 'STRING');
    expect(await warningsOf(mine, await ruleOn(mine, code, { condition: above }))).toEqual([
      'TEXT',
    ]);
    const flag = await pointIn(mine, site, 'BOOLEAN');
    const met = { field: 'value', operator: '>=', threshold: 0 };
    expect(await warningsOf(mine, await ruleOn(mine, flag, { condition: met }))).toEqual(['EVERY']);
  });

  it('say that nothing that it watches is enabled, and that it can never do what it says', async () => {
    const mine = await world.tenant('warned-never');
    const { site, ruleId, measure } = await watched(world, mine, 'kiln');
    await measure(70);
    const ofDevice = await addTo(mine, 'rule', {
      ruleName: 'away',
      alarmTargetTypeFlag: 'DEVICE',
      entityId: site.deviceId,
      ruleExt: {
        content: { condition: { field: 'statusName', operator: 'eq', expected: 'OFFLINE' } },
      },
    });
    const turned = (enableFlag: string) =>
      mine.data(`${MANAGER}/device/update`, { id: site.deviceId, enableFlag });
    await turned('DISABLE');
    for (const id of [ruleId, ofDevice]) expect(await warningsOf(mine, id)).toEqual(['NOTHING']);
    await turned('ENABLE');
    for (const id of [ruleId, ofDevice]) expect(await warningsOf(mine, id)).toEqual([]);
    const free = await pointIn(mine, site, 'DOUBLE');
    const id = await ruleOn(mine, free, { condition: above });
    expect(await warningsOf(mine, id)).toEqual(['NO_NUMBER']);
    await mine.data(`${MANAGER}/point/update`, { id: free, pointTypeFlag: 'BOOLEAN' });
    expect(await warningsOf(mine, id)).toEqual(['NEVER']);
  });

  it('can be sent back with it, without effect', async () => {
    const mine = await world.tenant('warned-back');
    const { ruleId } = await watched(world, mine, 'kiln');
    const rule = await read(mine, ruleId);
    expect((await mine.post(`${DATA}/rule/update`, rule)).status).toBe(200);
    expect(await warningsOf(mine, ruleId)).toEqual(rule.warnings);
  });

  it('say nothing of values without the right to read them', async () => {
    const mine = await world.tenant('warned-right');
    const { ruleId } = await watched(world, mine, 'kiln');
    const { session } = await worker(mine, ['svc-center-data:rule:get']);
    expect(await warningsOf(session, ruleId)).toEqual([]);
  });
});
