import type { Selectable } from 'kysely';

import type { Queries } from '../../../db/connect.ts';
import type { DriverTable } from '../../../db/schema/manager.ts';
import { EntityType } from '../../../manager/group/entity-type.ts';

/** The driver of a device, if it exists. */
export const driverOf = (
  q: Queries,
  tenantId: string,
  deviceId: string,
): Promise<Selectable<DriverTable> | undefined> =>
  q
    .selectFrom('svc_driver as v')
    .innerJoin('svc_device as d', (join) =>
      join.onRef('d.tenantId', '=', 'v.tenantId').onRef('d.driverId', '=', 'v.id'),
    )
    .selectAll('v')
    .where('d.tenantId', '=', tenantId)
    .where('d.id', '=', deviceId)
    .executeTakeFirst();

/** The driver node that serves a device; empty if none does, then any node of the driver gets its commands. */
export async function nodeOf(q: Queries, tenantId: string, deviceId: string): Promise<string> {
  const state = await q
    .selectFrom('svc_entity_state')
    .select('node')
    .where('tenantId', '=', tenantId)
    .where('entityTypeFlag', '=', EntityType.DEVICE)
    .where('entityId', '=', deviceId)
    .executeTakeFirst();
  return state?.node ?? '';
}
