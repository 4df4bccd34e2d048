import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { App } from '../../kernel/app/app.ts';
import { type ConfigPlace, isSecret, openValue } from './secret-value.ts';

/** The value in effect: the device's config, else the attribute's default. */
export type Setting = { value: string; isSecret: boolean };
export type Settings = { device: Record<string, Setting>; point: Record<string, Setting> };

const settingsAs = (kind: 'driver' | 'point', ofPoint = sql``) => sql`
  (select coalesce(jsonb_object_agg(a.attribute_code, jsonb_build_object(
      'config', c.config_value, 'initial', a.default_value, 'attributeId', a.id::text,
      'ext', a.attribute_ext)), '{}')
    from ${sql.table(`svc_${kind}_attribute`)} a
    left join ${sql.table(`svc_${kind}_attribute_config`)} c on c.tenant_id = a.tenant_id
      and c.attribute_id = a.id and c.device_id = d.id and c.enable_flag = 0 ${ofPoint}
    where a.tenant_id = d.tenant_id and a.driver_id = d.driver_id)`;

type Stored = Record<
  string,
  { config: string | null; initial: string; attributeId: string; ext: Record<string, unknown> }
>;

/**
 * Settings of a device and of one of its points by attribute code, as the metadata message carries them. Null for
 * a disabled profile, the devices of which no driver serves, and for a missing device.
 */
export async function settingsOf(
  q: Queries,
  app: Pick<App, 'keys'>,
  tenantId: string,
  { deviceId, pointId }: { deviceId: string; pointId: string },
): Promise<Settings | null> {
  const { rows } = await sql<{ device: Stored; point: Stored; profileFlag: number }>`
    select p.enable_flag as profile_flag, ${settingsAs('driver')} as device,
      ${settingsAs('point', sql`and c.point_id = ${pointId}`)} as point
    from svc_device d join svc_profile p on p.tenant_id = d.tenant_id and p.id = d.profile_id
    where d.tenant_id = ${tenantId} and d.id = ${deviceId}`.execute(q);
  const [row] = rows;
  if (row?.profileFlag !== 0) return null;
  const at = { tenantId, deviceId };
  return {
    device: settingsIn(app, { kind: 'driver', ...at }, row.device),
    point: settingsIn(app, { kind: 'point', ...at, partId: pointId }, row.point),
  };
}

/** Settings of devices by attribute code, those that exist. */
export async function deviceSettingsOf(
  q: Queries,
  app: Pick<App, 'keys'>,
  tenantId: string,
  deviceIds: readonly string[],
): Promise<Map<string, Record<string, Setting>>> {
  const { rows } = await sql<{ deviceId: string; settings: Stored }>`
    select d.id as device_id, ${settingsAs('driver')} as settings
    from svc_device d where d.tenant_id = ${tenantId} and d.id = any(${deviceIds}::bigint[])`.execute(
    q,
  );
  return new Map(
    rows.map(({ deviceId, settings }) => [
      deviceId,
      settingsIn(app, { kind: 'driver', tenantId, deviceId }, settings),
    ]),
  );
}

/** Opened as the driver gets them: a secret that cannot be opened is empty. */
function settingsIn(
  app: Pick<App, 'keys'>,
  at: Omit<ConfigPlace, 'attributeId'>,
  stored: Stored,
): Record<string, Setting> {
  const settings = Object.entries(stored).map(([code, { config, initial, attributeId, ext }]) => {
    const value = config === null ? initial : openValue(app, { ...at, attributeId }, ext, config);
    return [code, { value: value ?? '', isSecret: isSecret(ext) }] as const;
  });
  return Object.fromEntries(settings);
}

/** The values without the secrecy flags. */
export const valuesOf = (settings: Readonly<Record<string, Setting>>): Record<string, string> =>
  Object.fromEntries(Object.entries(settings).map(([code, { value }]) => [code, value]));
