import { expect, it } from 'vitest';
import { z } from 'zod';

import { actionsIn } from '../support/people/actions.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboardVirtual, report, type Site, toolNamed } from './agent.ts';

const Proposed = z.looseObject({ actionId: z.string() });

const world = startedWorld();
const call = async (name: string, input: object) =>
  toolNamed(name).run(world.app, agentIn(world.admin), input);

async function confirmed(answer: unknown): Promise<string> {
  const { decide, actionOf } = actionsIn(world, world.admin);
  const { actionId } = Proposed.parse(answer);
  const { digest } = await actionOf(actionId);
  expect((await decide('confirm', actionId, { digest, wait_ms: 10_000 })).status).toBe(200);
  return actionId;
}
const write = async ({ deviceId, pointId }: Site, value: number) =>
  confirmed(await call('writePointValue', { deviceId, pointId, value }));

it('writes back what a point held before, and again what it held then', async () => {
  const site = await onboardVirtual(world, 'once');
  const actionId = await write(site, 24);
  const undone = await call('proposeUndo', { actionId, reason: 'too warm' });
  expect(undone).toMatchObject({ status: 'PENDING', proposedValue: '20', currentValue: '24' });
  expect(await call('proposeUndo', { actionId })).toMatchObject({ repeated: true });
  const redo = await confirmed(undone);
  expect(await call('proposeUndo', { actionId: redo })).toMatchObject({ proposedValue: '24' });
});

it('of several writes writes all back, the last one first', async () => {
  const [one, two] = [await onboardVirtual(world, 'one'), await onboardVirtual(world, 'two')];
  const writes = [one, two].map(({ deviceId, pointId }, index) => {
    return { deviceId, pointId, value: 25 + index };
  });
  const plan = await call('proposeWrites', { writes });
  const actionId = await confirmed(plan);
  const { actionOf } = actionsIn(world, world.admin);
  await expect
    .poll(async () => (await actionOf(actionId)).status, { timeout: 20_000 })
    .toBe('EXECUTED');
  expect(await call('proposeUndo', { actionId })).toMatchObject({
    writes: [
      { deviceId: two.deviceId, proposedValue: '20' },
      { deviceId: one.deviceId, proposedValue: '20' },
    ],
  });
});

it('is refused where a value has changed since, and for what was not executed', async () => {
  const site = await onboardVirtual(world, 'changed');
  const actionId = await write(site, 24);
  await report(world, world.admin, site, [22]);
  await expect(call('proposeUndo', { actionId })).rejects.toThrow(
    /holds 22 °C now, not the 24 °C that was written: it has changed since/,
  );
  const { deviceId, pointId } = site;
  const waiting = Proposed.parse(await call('writePointValue', { deviceId, pointId, value: 26 }));
  await expect(call('proposeUndo', { actionId: waiting.actionId })).rejects.toThrow(
    'Only what was executed can be undone; this is PENDING',
  );
  const other = await world.tenant('stranger');
  const foreign = toolNamed('proposeUndo').run(world.app, agentIn(other), { actionId });
  await expect(foreign).rejects.toThrow('does not exist');
});
