import { expect, it } from 'vitest';

import { startWorld } from '../support/world/app.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboard, onboardVirtual, toolNamed } from './agent.ts';

const world = startedWorld();

const health = (session = world.admin) =>
  toolNamed('getSystemHealth').run(world.app, agentIn(session), {});

it('counts what belongs to the tenant, and what of it is online', async () => {
  const other = await world.tenant('other');
  await onboard(other, 'offline');
  await onboardVirtual(world, 'virtual', other);
  const theirs = await health(other);
  expect(theirs).toMatchObject({ database: 'up', devices: { total: 2 }, openActions: 0 });
  expect(await health()).toMatchObject({ devices: { total: 0 } });
});

it('counts proposals that wait for a human', async () => {
  const { deviceId, pointId } = await onboard(world.admin, 'waiting');
  const propose = toolNamed('writePointValue');
  await propose.run(world.app, agentIn(world.admin), { deviceId, pointId, value: '21' });
  expect(await health()).toMatchObject({ openActions: 1 });
  world.clock.shift(11 * 60_000);
  expect(await health()).toMatchObject({ openActions: 0 });
});

it('says that the database is down, and counts nothing then', async () => {
  const lone = await startWorld();
  const agent = agentIn(lone.admin);
  await lone.app.db.close();
  const found = await toolNamed('getSystemHealth').run(lone.app, agent, {});
  expect(found).toMatchObject({ database: 'down', bus: 'unknown' });
  expect(found).toMatchObject({ drivers: null, devices: null, openActions: null });
  await lone.stop();
});
