import { expect, it } from 'vitest';

import { inZone } from '../../src/kernel/sentence/time-zone.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn, toolNamed } from './agent.ts';

const world = startedWorld();

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

it('gives the time zone of the plant and the time there', async () => {
  const other = await world.tenant('berlin');
  const path = '/api/v3/auth/tenant/update';
  await world.admin.data(path, { id: other.tenantId, timezone: 'Europe/Berlin' });
  const { run } = toolNamed('getCurrentTenantInfo');
  expect(await run(world.app, agentIn(other), {})).toMatchObject({
    timezone: 'Europe/Berlin',
    now: inZone(world.app.clock.now(), 'Europe/Berlin'),
  });
});

it('takes no arguments, so no tenant can be asked for', async () => {
  const call = toolNamed('getCurrentTenantInfo').run(world.app, agentIn(world.admin), {
    tenantId: '1',
  });
  await expect(call).rejects.toThrow(/Unrecognized key/);
});
