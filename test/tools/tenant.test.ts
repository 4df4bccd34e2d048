import { afterAll, beforeAll, expect, it } from 'vitest';

import { startWorld, type World } from '../support/world/app.ts';
import { agentIn, expectAsReviewed, toolNamed } from './agent.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

it('getCurrentTenantInfo looks as reviewed', () => expectAsReviewed('getCurrentTenantInfo'));

it('names the tenant of the caller and no other', async () => {
  const other = await world.tenant('other');
  const { run } = toolNamed('getCurrentTenantInfo');
  expect(await run(world.app, agentIn(world.admin), {})).toMatchObject({
    tenantId: world.admin.tenantId,
    tenantCode: 'default',
  });
  expect(await run(world.app, agentIn(other), {})).toMatchObject({
    tenantId: other.tenantId,
    tenantCode: 'other',
  });
});

it('takes no arguments, so no tenant can be asked for', async () => {
  const call = toolNamed('getCurrentTenantInfo').run(world.app, agentIn(world.admin), {
    tenantId: '1',
  });
  await expect(call).rejects.toThrow(/Unrecognized key/);
});
