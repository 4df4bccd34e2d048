import { createServer, type Server } from 'node:http';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { inTenant } from '../../src/db/tenant.ts';
import { createGateway } from '../../src/gateway/server.ts';
import { kinds } from '../support/runs/revocation/kinds.ts';
import { revokeOften } from '../support/runs/revocation/trials.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { otherNode } from '../support/world/other-node.ts';

let world: World;
const others: Server[] = [];
const bases: string[] = [];
beforeAll(async () => {
  world = await startWorld();
  bases.push(world.base);
  for (let n = 0; n < 2; n += 1) {
    const server = createServer(createGateway(otherNode(world.app), () => []));
    others.push(server);
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    bases.push(`http://127.0.0.1:${address.port}`);
  }
});
afterAll(async () => {
  for (const server of others) {
    server.closeAllConnections();
    server.close();
  }
  await world?.stop();
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
  const gateways = { bases, admin, profilesNamed };
  let writes = 0;
  for await (const { kind, wrong, writes: more } of revokeOften(gateways, { trials, seed: 7 })) {
    expect(wrong, kind).toEqual([]);
    writes += more;
  }
  expect(writes).toBeGreaterThan(0);
});
