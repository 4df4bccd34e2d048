import type { Queries } from '../../db/connect.ts';
import { NotFound, Unprocessable } from '../../kernel/errors.ts';
import { declaredInterval, intervalOf } from './freshness.ts';

export type Pair = { deviceId: string; pointId: string };

/** A pair as one text: `device:point`. */
export const keyOf = ({ deviceId, pointId }: Pair): string => `${deviceId}:${pointId}`;

/** A device and a point of its profile, with their names. */
export type NamedPair = Pair & { deviceName: string; pointName: string; unit: string };

/** What its values are like: their type, the decimals that the point shows, the expected interval (ms) between them. */
export type PairFacts = { pointTypeFlag: number; valueDecimal: number; intervalMs: number };

/**
 * The names of a device and a point, and what its values are like. Throws NotFound for a missing device or point,
 * Unprocessable if they do not match.
 */
export async function pairOf(
  q: Queries,
  tenantId: string,
  pair: Pair,
): Promise<{ names: NamedPair; facts: PairFacts }> {
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
    .select(['p.pointTypeFlag', 'p.valueDecimal'])
    .where('d.tenantId', '=', tenantId)
    .where('d.id', '=', pair.deviceId)
    .executeTakeFirst();
  if (!row) throw new NotFound('Device');
  const { deviceId, deviceName, pointId, pointName, unit, pointTypeFlag, valueDecimal } = row;
  if (pointId === null || pointName === null || unit === null) throw new NotFound('Point');
  if (row.profileOfPoint !== row.profileId || pointTypeFlag === null || valueDecimal === null)
    throw new Unprocessable("The point does not belong to the device's profile");
  return {
    names: { deviceId, deviceName, pointId, pointName, unit },
    facts: { pointTypeFlag, valueDecimal, intervalMs: intervalOf(row.declared) },
  };
}
