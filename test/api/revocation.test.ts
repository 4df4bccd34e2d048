import { afterAll, beforeAll, expect, it } from 'vitest';

import { inTenant } from '../../src/db/tenant.ts';
import { kinds } from '../support/runs/revocation/kinds.ts';
import { revokeOften } from '../support/runs/revocation/trials.ts';
import { type OtherGateway, otherGateway } from '../support/world/other-node.ts';
import { startedWorld } from '../support/world/prepared.ts';

const others: OtherGateway[] = [];
const world = startedWorld();
beforeAll(async () => {
  for (let n = 0; n < 2; n += 1) others.push(await otherGateway(world.app));
});
afterAll(async () => {
  for (const other of others) other.close();
});

/** A part of what `npm run prove -- revocation` does. */
it('takes a right away at three gateways before the revocation is answered', async () => {
  const { admin, app } = world;
  const profilesNamed = (prefix: string) =>
    inTenant(app.db, admin.tenantId, async (q) => {
      const query = q.selectFrom('svc_profile').select('profileName');
      const rows = await query.where('profileName', 'like', `${prefix}-%`).execute();
      return rows.map(({ profileName }) => profileName);
    });
  const trials = Object.keys(kinds).length;
  const bases = [world, ...others].map(({ base }) => base);
  const gateways = { bases, admin, profilesNamed };
  let writes = 0;
  for await (const { kind, wrong, writes: more } of revokeOften(gateways, { trials, seed: 7 })) {
    expect(wrong, kind).toEqual([]);
    writes += more;
  }
  expect(writes).toBeGreaterThan(0);
});
