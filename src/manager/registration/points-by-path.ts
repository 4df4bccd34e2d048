import type { Queries } from '../../db/connect.ts';
import { profileOf } from '../profile/profile.ts';

/** In the order of a path. */
const PARTS = ['objectId', 'objectInstanceId', 'resourceId'] as const;

/** Ids of the points of a device by the path that they have on it, as `/3303/0/5700`. */
export async function pointsByPath(
  q: Queries,
  tenantId: string,
  deviceId: string,
): Promise<Map<string, string[]>> {
  const driver = q
    .selectFrom('svc_device')
    .select('driverId')
    .where('tenantId', '=', tenantId)
    .where('id', '=', deviceId);
  const [points, attributes, configs] = await Promise.all([
    q
      .selectFrom('svc_point')
      .select('id')
      .where('tenantId', '=', tenantId)
      .where('profileId', '=', profileOf(q, tenantId, deviceId))
      .orderBy('id')
      .execute(),
    q
      .selectFrom('svc_point_attribute')
      .select(['id', 'attributeCode', 'defaultValue'])
      .where('tenantId', '=', tenantId)
      .where('driverId', '=', driver)
      .where('attributeCode', 'in', [...PARTS])
      .execute(),
    q
      .selectFrom('svc_point_attribute_config')
      .select(['pointId', 'attributeId', 'configValue'])
      .where('tenantId', '=', tenantId)
      .where('deviceId', '=', deviceId)
      .where('enableFlag', '=', 0)
      .execute(),
  ]);
  const given = new Map(
    configs.map(({ pointId, attributeId, configValue }) => [
      `${pointId} ${attributeId}`,
      configValue,
    ]),
  );
  const found = new Map<string, string[]>();
  for (const { id } of points) {
    const path = PARTS.map((code) => {
      const attribute = attributes.find(({ attributeCode }) => attributeCode === code);
      return `/${given.get(`${id} ${attribute?.id}`) ?? attribute?.defaultValue ?? ''}`;
    }).join('');
    found.set(path, [...(found.get(path) ?? []), id]);
  }
  return found;
}
