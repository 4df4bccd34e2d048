import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';

type Identity = { model: string | null; version: string | null };
type Row = { deviceId: string; resourceId: string; value: string; at: Date };

const MODEL = '1';
const VERSION = '3';

/**
 * What devices said last of themselves: their model (points at /3/0/1) and the version that they run (points at
 * /3/0/3, and their updates).
 */
export async function identitiesOf(
  q: Queries,
  tenantId: string,
  deviceIds: readonly string[],
): Promise<Map<string, Identity>> {
  const { rows } = await sql<Row>`
    select o.device_id, r.config_value as resource_id, l.cal_value as value, l.create_time as at
    from svc_point_attribute_config o
    join svc_point_attribute oa on oa.tenant_id = o.tenant_id and oa.id = o.attribute_id
      and oa.attribute_code = 'objectId'
    join svc_point_attribute_config r on r.tenant_id = o.tenant_id and r.device_id = o.device_id
      and r.point_id = o.point_id and r.enable_flag = 0
    join svc_point_attribute ra on ra.tenant_id = r.tenant_id and ra.id = r.attribute_id
      and ra.attribute_code = 'resourceId'
    join svc_point_latest l on l.tenant_id = o.tenant_id and l.device_id = o.device_id
      and l.point_id = o.point_id
    where o.tenant_id = ${tenantId} and o.device_id = any(${deviceIds}::bigint[]) and o.enable_flag = 0
      and o.config_value = '3' and r.config_value in (${MODEL}, ${VERSION})
    union all
    select u.device_id, ${VERSION}::text, u.version_now, u.heard_time
    from svc_firmware_update u
    where u.tenant_id = ${tenantId} and u.device_id = any(${deviceIds}::bigint[])
      and u.version_now is not null and u.heard_time is not null
    order by at`.execute(q);
  const found = new Map<string, Identity>();
  // In their order: the last word counts.
  for (const { deviceId, resourceId, value } of rows) {
    const known = found.get(deviceId) ?? { model: null, version: null };
    found.set(deviceId, {
      ...known,
      ...(resourceId === MODEL ? { model: value } : { version: value }),
    });
  }
  return found;
}
