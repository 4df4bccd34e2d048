import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { AttributeKind } from '../attribute/attribute.ts';

type Device = { id: string; driverId: string };
/** By attribute code. */
type Settings = Record<string, string>;

/**
 * Settings of these devices for attributes of one kind: their enabled configs, defaults filled in. The answer
 * is asked for a device and, unless the kind is `driver`, for one of its points, commands or events.
 */
export async function settingsFor(
  q: Queries,
  tenantId: string,
  kind: AttributeKind,
  devices: readonly Device[],
): Promise<(device: Device, partId?: string) => Settings> {
  const attributes = await q
    .selectFrom(`svc_${kind}_attribute`)
    .select(['id', 'driverId', 'attributeCode', 'defaultValue'])
    .where('tenantId', '=', tenantId)
    .where('driverId', 'in', [...new Set(devices.map(({ driverId }) => driverId))])
    .execute();
  const configs = await q
    .selectFrom(`svc_${kind}_attribute_config`)
    .select(['deviceId', 'attributeId', 'configValue'])
    .select((kind === 'driver' ? sql<string>`''` : sql.ref<string>(`${kind}_id`)).as('partId'))
    .where('tenantId', '=', tenantId)
    .where(
      'deviceId',
      'in',
      devices.map(({ id }) => id),
    )
    .where('enableFlag', '=', 0)
    .execute();
  const codes = new Map(attributes.map(({ id, attributeCode }) => [id, attributeCode]));
  const defaults = settingsBy(attributes, (row) => ({
    of: row.driverId,
    code: row.attributeCode,
    value: row.defaultValue,
  }));
  const own = settingsBy(configs, (row) => ({
    of: `${row.deviceId}:${row.partId}`,
    code: codes.get(row.attributeId),
    value: row.configValue,
  }));
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
