import { randomUUID } from 'node:crypto';

import { inTenant } from '../../../src/db/tenant.ts';
import type { Session } from '../people/session.ts';
import type { World } from '../world/app.ts';

/** An import that has ended: one that runs would change devices while a test looks at them. */
export async function endedImport(
  world: World,
  { tenantId, principalId }: Session,
  of: { driverId: string; profileId: string },
) {
  const importId = randomUUID();
  const by = { creatorId: principalId, creatorName: 'admin', createTime: new Date() };
  await inTenant(world.app.db, tenantId, (q) =>
    q
      .insertInto('svc_device_import')
      .values({ tenantId, importId, ...of, ...by, status: 'CANCELLED', total: 0 })
      .execute(),
  );
  return importId;
}
