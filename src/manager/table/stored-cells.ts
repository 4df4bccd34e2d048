import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { EnableFlag, nameOf } from '../../kernel/input/flag.ts';
import { isSealed } from '../../kernel/secret.ts';
import { EntityType } from '../entity/entity-type.ts';
import { isSecret } from '../entity/secret-value.ts';
import { LABELS, type Table } from './columns.ts';

type Stored = {
  id: string;
  deviceName: string;
  deviceCode: string;
  remark: string;
  enableFlag: number;
};

/**
 * The cells of devices by title, by their ids: what a table of them has. A config of a secret attribute has none;
 * nor has one for another driver or profile than those of the table.
 */
export async function cellsOf(
  q: Queries,
  tenantId: string,
  { columns }: Table,
  devices: readonly Stored[],
): Promise<Map<string, Map<string, string>>> {
  const ids = devices.map(({ id }) => id);
  const [ofDevice, ofPoint, groups, labels] = await Promise.all([
    configsOf(q, tenantId, 'driver', ids),
    configsOf(q, tenantId, 'point', ids),
    namesOf(q, tenantId, 'group', ids),
    namesOf(q, tenantId, 'label', ids),
  ]);
  const titles = new Map(
    columns
      .filter(({ attribute }) => !isSecret(attribute.attributeExt))
      .map(({ title, attribute, point }) => [`${point?.id ?? ''}:${attribute.id}`, title]),
  );
  const cells = new Map(
    devices.map(({ id, deviceName, deviceCode, remark, enableFlag }) => [
      id,
      new Map([
        ['deviceName', deviceName],
        ['deviceCode', deviceCode],
        ['remark', remark],
        ['enableFlag', nameOf(EnableFlag, enableFlag)],
      ]),
    ]),
  );
  for (const { deviceId, pointId, attributeId, configValue } of [...ofDevice, ...ofPoint]) {
    const title = titles.get(`${pointId}:${attributeId}`);
    if (title !== undefined && !isSealed(configValue)) cells.get(deviceId)?.set(title, configValue);
  }
  for (const { deviceId, names } of groups) cells.get(deviceId)?.set('groupName', names.join());
  for (const { deviceId, names } of labels)
    cells.get(deviceId)?.set('labelNames', names.join(LABELS));
  return cells;
}

type Config = { deviceId: string; pointId: string; attributeId: string; configValue: string };

async function configsOf(
  q: Queries,
  tenantId: string,
  kind: 'driver' | 'point',
  ids: readonly string[],
): Promise<Config[]> {
  const pointId = kind === 'point' ? sql`point_id::text` : sql`''`;
  const { rows } = await sql<Config>`
    select device_id, ${pointId} as point_id, attribute_id, config_value
    from ${sql.table(`svc_${kind}_attribute_config`)}
    where tenant_id = ${tenantId} and device_id = any(${ids}::bigint[])`.execute(q);
  return rows;
}

async function namesOf(
  q: Queries,
  tenantId: string,
  kind: 'group' | 'label',
  ids: readonly string[],
): Promise<{ deviceId: string; names: string[] }[]> {
  const { rows } = await sql<{ deviceId: string; names: string[] }>`
    select b.entity_id as device_id, array_agg(n.name order by n.name) as names
    from ${sql.table(`svc_${kind}_bind`)} b
    join (select tenant_id, id, ${sql.ref(`${kind}_name`)} as name from ${sql.table(`svc_${kind}`)}) n
      on n.tenant_id = b.tenant_id and n.id = ${sql.ref(`b.${kind}_id`)}
    where b.tenant_id = ${tenantId} and b.entity_type_flag = ${EntityType.DEVICE}
      and b.entity_id = any(${ids}::bigint[])
    group by b.entity_id`.execute(q);
  return rows;
}
