import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';

/** A version later than all before it, over all processes. */
export async function nextVersion(q: Queries): Promise<number> {
  const { rows } = await sql<{ version: string }>`
    select nextval('svc_metadata_version') as version`.execute(q);
  return Number(rows[0]?.version);
}

/** Version of a device's removal from a driver; null when that driver has the device, again or still. */
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

/** Stores the version that the drivers of these devices were sent. */
export async function keepSentVersion(
  q: Queries,
  {
    tenantId,
    deviceIds,
    version,
  }: { tenantId: string; deviceIds: readonly string[]; version: number },
): Promise<void> {
  if (deviceIds.length === 0) return;
  // Locked in order of id, so that two calls never wait for each other.
  await sql`
    update svc_device d set metadata_version = ${version}
    from (select id from svc_device where tenant_id = ${tenantId} and id = any(${[...deviceIds]}::bigint[])
      order by id for no key update) sent
    where d.tenant_id = ${tenantId} and d.id = sent.id and d.metadata_version < ${version}`.execute(
    q,
  );
}
