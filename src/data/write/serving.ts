import type { Selectable } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { DriverTable } from '../../db/schema/manager.ts';
import { EntityType } from '../../manager/entity/entity-type.ts';

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

/** How a device is served. */
export type Serving = {
  /** The driver node; empty if none serves it, then any node of the driver gets its commands. */
  node: string;
  /** How long a command waits for the device to wake, as its driver says; 0 for one that does not sleep. */
  waitMs: number;
};

export async function servingOf(q: Queries, tenantId: string, deviceId: string): Promise<Serving> {
  const state = await q
    .selectFrom('svc_entity_state')
    .select(['node', 'commandLifeMs'])
    .where('tenantId', '=', tenantId)
    .where('entityTypeFlag', '=', EntityType.DEVICE)
    .where('entityId', '=', deviceId)
    .executeTakeFirst();
  return { node: state?.node ?? '', waitMs: state?.commandLifeMs ?? 0 };
}
