import { sql } from 'kysely';

/** Where a write goes. */
export type Place = { tenantId: string; deviceId: string; pointId: string };

export const isAt = (
  place: Pick<Place, 'deviceId' | 'pointId'>,
  { deviceId, pointId }: Pick<Place, 'deviceId' | 'pointId'>,
): boolean => deviceId === place.deviceId && pointId === place.pointId;

/**
 * SQL condition on `svc_action`: one of its writes goes there. By ids, so that each part keeps its index; `status` (stored
 * number) is that of the actions looked for.
 */
export const isFor = ({ tenantId, deviceId, pointId }: Place, status: number) => sql<boolean>`
  svc_action.action_id in (
    select a.action_id from svc_action a where a.tenant_id = ${tenantId} and a.device_id = ${deviceId}
      and a.point_id = ${pointId} and a.status = ${sql.lit(status)}
    union all
    select s.action_id from svc_action_step s where s.tenant_id = ${tenantId} and s.device_id = ${deviceId}
      and s.point_id = ${pointId})`;
