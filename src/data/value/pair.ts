import { NotFound, Unprocessable } from '../../core/errors.ts';
import type { Queries } from '../../db/connect.ts';
import { declaredInterval, intervalOf } from './freshness.ts';

export type Pair = { deviceId: string; pointId: string };

/** A device and a point of its profile, with their names. */
export type NamedPair = Pair & { deviceName: string; pointName: string; unit: string };

/**
 * The names of a device and a point, and the expected interval (ms) between values of the device. Throws NotFound
 * for a missing device or point, Unprocessable if they do not match.
 */
export async function pairOf(
  q: Queries,
  tenantId: string,
  pair: Pair,
): Promise<NamedPair & { intervalMs: number }> {
  const row = await q
    .selectFrom('svc_device as d')
    .leftJoin('svc_driver as v', (join) =>
      join.onRef('v.tenantId', '=', 'd.tenantId').onRef('v.id', '=', 'd.driverId'),
    )
    .leftJoin('svc_point as p', (join) =>
      join.onRef('p.tenantId', '=', 'd.tenantId').on('p.id', '=', pair.pointId),
    )
    .select(['d.id as deviceId', 'd.deviceName', 'd.profileId', declaredInterval.as('declared')])
    .select(['p.id as pointId', 'p.pointName', 'p.unit', 'p.profileId as profileOfPoint'])
    .where('d.tenantId', '=', tenantId)
    .where('d.id', '=', pair.deviceId)
    .executeTakeFirst();
  if (!row) throw new NotFound('Device');
  const { pointId, pointName, unit } = row;
  if (pointId === null || pointName === null || unit === null) throw new NotFound('Point');
  if (row.profileOfPoint !== row.profileId)
    throw new Unprocessable("The point does not belong to the device's profile");
  const { deviceId, deviceName, declared } = row;
  return { deviceId, deviceName, pointId, pointName, unit, intervalMs: intervalOf(declared) };
}
