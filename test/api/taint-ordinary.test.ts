import { expect, it } from 'vitest';
import { z } from 'zod';

import { watched } from '../support/devices/watched.ts';
import { actionsIn } from '../support/people/actions.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { asking } from '../support/people/mcp-2026.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { onboardVirtual, report } from '../tools/agent.ts';

const SCOPE = 'svc:read svc:read-device svc:propose';
const Listed = z.looseObject({
  records: z.array(z.looseObject({ alarmId: z.string().optional() })),
});

const world = startedWorld();

it('ordinary work of a plant taints nothing that a fresh agent proposes', async () => {
  const mine = await world.tenant('ordinary');
  const { proposeIn, decide, actionOf } = actionsIn(world, mine);
  const [first, second] = [
    await onboardVirtual(world, 'first', mine),
    await onboardVirtual(world, 'second', mine),
  ];
  // A proposal that is renewed, one that is executed, one that is rejected, a plan, an alarm.
  const renewed = await proposeIn(first, '23');
  await report(world, mine, first, [29]);
  expect((await decide('confirm', renewed.actionId)).status).toBe(412);
  const { digest } = await actionOf(renewed.actionId);
  await decide('confirm', renewed.actionId, { digest, wait_ms: 10_000 });
  await decide('reject', (await proposeIn(second, '24')).actionId);
  const hot = await watched(world, mine, 'hot', { severity: 'P1' });
  await hot.measure(81);
  const ask = asking(world.base, await bearerFor(mine, { scope: SCOPE }));
  const call = async (name: string, given: object = {}) =>
    z
      .looseObject({})
      .parse((await ask('tools/call', { name, arguments: given })).result?.['structuredContent']);
  await call('proposeWrites', {
    writes: [first, second].map(({ deviceId, pointId }) => ({ deviceId, pointId, value: 25 })),
  });
  const fresh = asking(world.base, await bearerFor(mine, { scope: SCOPE }));
  const look = async (name: string, given: object = {}) => {
    const { result } = await fresh('tools/call', { name, arguments: given });
    const answer = z.looseObject({}).parse(result?.['structuredContent']);
    expect([name, answer['untrusted']]).toEqual([name, undefined]);
    return answer;
  };
  await look('lookupActionById', { actionId: renewed.actionId });
  for (const name of ['getHandover', 'searchActions', 'searchChanges', 'searchCommands'])
    await look(name);
  for (const name of ['searchDevices', 'searchPointValues', 'searchEvents', 'getUnhealthy'])
    await look(name);
  const { records } = Listed.parse(await look('searchAlarms'));
  for (const { alarmId } of records) await look('lookupAlarmById', { alarmId });
  await look('waitForEvents');
  const answer = await look('writePointValue', {
    deviceId: second.deviceId,
    pointId: second.pointId,
    value: 26,
  });
  expect(answer).not.toHaveProperty('tainted');
});
