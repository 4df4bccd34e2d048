import { sql } from 'kysely';

import type { Queries } from '../db/connect.ts';

/** Later than every version before it, in whatever process. */
export async function nextVersion(q: Queries): Promise<number> {
  const { rows } = await sql<{ version: string }>`
    select nextval('svc_metadata_version') as version`.execute(q);
  return Number(rows[0]?.version);
}

/** Of the news that a device left a driver; null when it is with that driver, again or still. */
export async function versionOfRemoval(
  q: Queries,
  tenantId: string,
  deviceId: string,
  driverCode: string,
): Promise<number | null> {
  const version = await nextVersion(q);
  const row = await q
    .selectFrom('svc_device as d')
    .innerJoin('svc_driver as v', (join) =>
      join.onRef('v.tenantId', '=', 'd.tenantId').onRef('v.id', '=', 'd.driverId'),
    )
    .select('d.id')
    .where('d.tenantId', '=', tenantId)
    .where('d.id', '=', deviceId)
    .where('v.driverCode', '=', driverCode)
    .executeTakeFirst();
  return row ? null : version;
}
