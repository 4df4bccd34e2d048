import { expect, it } from 'vitest';

import { inTenant } from '../../src/db/tenant.ts';
import { watched } from '../support/devices/watched.ts';
import { startedWorld } from '../support/world/prepared.ts';

const world = startedWorld();

it('values of a tenant whose rules wait for a lock hold up no other tenant', async () => {
  const [slow, other] = [await world.tenant('slow'), await world.tenant('other')];
  const held = await watched(world, slow, 'held');
  const free = await watched(world, other, 'free');
  await held.measure(20);
  const locked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const holding = inTenant(world.app.db, slow.tenantId, async (q) => {
    await q
      .selectFrom('svc_rule_state')
      .select('id')
      .where('tenantId', '=', slow.tenantId)
      .where('ruleId', '=', held.ruleId)
      .forUpdate()
      .execute();
    locked.resolve();
    await released.promise;
  });
  await locked.promise;
  let isOver = false;
  const waiting = held.measure(81).then(() => (isOver = true));
  await free.measure(81);
  const fires = async (session: typeof slow) =>
    JSON.stringify(await session.data('/api/v3/data/dashboard/alert/page', {})).includes('FIRING');
  expect(await fires(other)).toBe(true);
  expect(isOver).toBe(false);
  released.resolve();
  await Promise.all([holding, waiting]);
  expect(await fires(slow)).toBe(true);
});
