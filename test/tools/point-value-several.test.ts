import { expect, it } from 'vitest';
import { z } from 'zod';

import { prepared, startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboardVirtual, toolNamed } from './agent.ts';

const Answer = z.object({ series: z.array(z.looseObject({ deviceName: z.string() })) });

const world = startedWorld();
const mine = prepared(() => world.tenant('several'));

async function namesOf(input: object): Promise<string[]> {
  const tool = toolNamed('getPointValueHistory');
  const { series } = Answer.parse(await tool.run(world.app, agentIn(mine), input));
  return series.map(({ deviceName }) => deviceName).toSorted();
}

it('getPointValueHistory digests all points that words mean, or that have them in a group', async () => {
  const first = await onboardVirtual(world, 'chamber 1', mine);
  await onboardVirtual(world, 'chamber 2', mine);
  await onboardVirtual(world, 'chamber 3', mine);
  const all = ['chamber 1 device', 'chamber 2 device', 'chamber 3 device'];
  expect(await namesOf({ points: ['chamber set-point'] })).toEqual(all);
  expect(await namesOf({ points: 'chamber 2 set-point' })).toEqual([all[1]]);
  await expect(namesOf({ pointId: 'chamber set-point' })).rejects.toThrow('fits 3');
  const group = { groupName: 'cold store', groupTypeFlag: 'DEVICE' };
  const groupId = await mine.data('/api/v3/manager/group/add', group);
  const member = { groupId, entityId: first.deviceId, entityTypeFlag: 'DEVICE' };
  await mine.data('/api/v3/manager/group_bind/add', member);
  expect(await namesOf({ points: ['set-point'], group: 'Cold Store' })).toEqual([all[0]]);
  await expect(namesOf({ points: ['flow'], group: 'cold store' })).rejects.toThrow('flow');
  for (let at = 4; at <= 11; at += 1) await onboardVirtual(world, `chamber ${at}`, mine);
  await expect(namesOf({ points: ['chamber set-point'] })).rejects.toThrow('fits 11');
});

it('getPointValueHistory refuses a group beside a device or a lone point, of which one would be left out', async () => {
  const points = ['set-point'];
  for (const input of [
    { group: 'cold store', points, deviceId: 'chamber 2' },
    { group: 'cold store', points: ['1/2'] },
  ])
    await expect(namesOf(input)).rejects.toThrow('Give group or deviceId');
  for (const deviceId of [undefined, 'chamber 2'])
    await expect(namesOf({ group: 'cold store', pointId: 'set-point', deviceId })).rejects.toThrow(
      'Give points',
    );
});
