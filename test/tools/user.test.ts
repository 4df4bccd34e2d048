import { afterAll, beforeAll, expect, it } from 'vitest';

import { startWorld, type World } from '../support/world/app.ts';
import { agentIn, toolNamed } from './agent.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

it('says whom the agent acts for and what limits it', async () => {
  const { run } = toolNamed('getCurrentUserProfile');
  expect(await run(world.app, agentIn(world.admin), {})).toEqual({
    userId: '1',
    userName: 'agent',
    type: 'SERVICE_ACCOUNT',
    via: 'oauth',
    scopes: ['svc:read', 'svc:read-device', 'svc:propose'],
  });
});
