import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { App } from '../../kernel/app/app.ts';
import { openValue } from './secret-value.ts';
import type { AttributeKind } from './value-type.ts';

type Device = { id: string; driverId: string };
/** By attribute code. */
type Settings = Record<string, string>;

/**
 * Settings of these devices for attributes of one kind: their enabled configs, secrets in clear, defaults filled in; a
 * secret that cannot be opened is empty. The answer is asked for a device and, unless the kind is `driver`, for one of its points, commands or events.
 */
export async function settingsFor(
  q: Queries,
  app: Pick<App, 'keys' | 'log'>,
  tenantId: string,
  kind: AttributeKind,
  devices: readonly Device[],
): Promise<(device: Device, partId?: string) => Settings> {
  const ofDrivers = q
    .selectFrom(`svc_${kind}_attribute`)
    .select(['id', 'driverId', 'attributeCode', 'defaultValue', 'attributeExt'])
    .where('tenantId', '=', tenantId)
    .where('driverId', 'in', [...new Set(devices.map(({ driverId }) => driverId))]);
  const ofDevices = q
    .selectFrom(`svc_${kind}_attribute_config`)
    .select(['deviceId', 'attributeId', 'configValue'])
    .select((kind === 'driver' ? sql<string>`''` : sql.ref<string>(`${kind}_id`)).as('partId'))
    .where('tenantId', '=', tenantId)
    .where(
      'deviceId',
      'in',
      devices.map(({ id }) => id),
    )
    .where('enableFlag', '=', 0);
  const [attributes, configs] = await Promise.all([ofDrivers.execute(), ofDevices.execute()]);
  const byId = new Map(attributes.map((attribute) => [attribute.id, attribute]));
  let unopened = 0;
  const defaults = settingsBy(attributes, (row) => ({
    of: row.driverId,
    code: row.attributeCode,
    value: row.defaultValue,
  }));
  const own = settingsBy(configs, (row) => {
    const attribute = byId.get(row.attributeId);
    const place = { ...row, kind, tenantId };
    const value = openValue(app, place, attribute?.attributeExt ?? {}, row.configValue);
    if (value === null) unopened += 1;
    return {
      of: `${row.deviceId}:${row.partId}`,
      code: attribute?.attributeCode,
      value: value ?? '',
    };
  });
  if (unopened > 0)
    app.log.warn(
      { tenantId, kind, unopened },
      'secret settings sealed with another SVC_SECRET_KEY',
    );
  return ({ id, driverId }, partId = '') => ({
    ...defaults.get(driverId),
    ...own.get(`${id}:${partId}`),
  });
}

type Entry = { of: string; code: string | undefined; value: string };

function settingsBy<R>(rows: readonly R[], entryOf: (row: R) => Entry): Map<string, Settings> {
  const found = new Map<string, Settings>();
  for (const { of, code, value } of rows.map(entryOf))
    if (code !== undefined) found.set(of, { ...found.get(of), [code]: value });
  return found;
}
