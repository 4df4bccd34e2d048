import { sql } from 'kysely';

import type { Queries } from '../db/connect.ts';

/** The value in effect: the device's config, else the attribute's default. */
export type Setting = { value: string; isSecret: boolean };
export type Settings = { device: Record<string, Setting>; point: Record<string, Setting> };

const settingsAs = (kind: 'driver' | 'point', ofPoint = sql``) => sql`
  (select coalesce(jsonb_object_agg(a.attribute_code, jsonb_build_object(
      'value', coalesce(c.config_value, a.default_value),
      'isSecret', coalesce(a.attribute_ext -> 'security' -> 'secret' = 'true'::jsonb, false))), '{}')
    from ${sql.table(`svc_${kind}_attribute`)} a
    left join ${sql.table(`svc_${kind}_attribute_config`)} c on c.tenant_id = a.tenant_id
      and c.attribute_id = a.id and c.device_id = d.id and c.enable_flag = 0 ${ofPoint}
    where a.tenant_id = d.tenant_id and a.driver_id = d.driver_id)`;

/**
 * Settings of a device and of one of its points by attribute code, as the metadata message carries them. Null for
 * a disabled profile, the devices of which no driver serves, and for a missing device.
 */
export async function settingsOf(
  q: Queries,
  tenantId: string,
  { deviceId, pointId }: { deviceId: string; pointId: string },
): Promise<Settings | null> {
  const { rows } = await sql<Settings & { profileFlag: number }>`
    select p.enable_flag as profile_flag, ${settingsAs('driver')} as device,
      ${settingsAs('point', sql`and c.point_id = ${pointId}`)} as point
    from svc_device d join svc_profile p on p.tenant_id = d.tenant_id and p.id = d.profile_id
    where d.tenant_id = ${tenantId} and d.id = ${deviceId}`.execute(q);
  const [row] = rows;
  return row?.profileFlag === 0 ? { device: row.device, point: row.point } : null;
}

/** The values without the secrecy flags. */
export const valuesOf = (settings: Readonly<Record<string, Setting>>): Record<string, string> =>
  Object.fromEntries(Object.entries(settings).map(([code, { value }]) => [code, value]));
