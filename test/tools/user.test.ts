import { expect, it } from 'vitest';

import { startedWorld } from '../support/world/prepared.ts';
import { agentIn, toolNamed } from './agent.ts';

const world = startedWorld();

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
