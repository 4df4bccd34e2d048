import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { App } from '../../kernel/app/app.ts';
import { type ConfigPlace, isStoredSealed, storedValue } from '../entity/secret-value.ts';
import type { AttributeKind } from '../entity/value-type.ts';

/** Values that one statement seals. */
const MAX_SEALED = 1_000;

type Clear = Omit<ConfigPlace, 'kind'> & { id: string; configValue: string };

/**
 * Seals the configs of these drivers that were stored before their attribute was secret, or before secrets were
 * sealed. Safe to repeat.
 */
export async function sealStored(
  q: Queries,
  app: Pick<App, 'keys'>,
  kind: AttributeKind,
  driverIds: readonly string[],
): Promise<void> {
  if (driverIds.length === 0) return;
  const attributes = await q
    .selectFrom(`svc_${kind}_attribute`)
    .select(['id', 'attributeExt'])
    .where('driverId', 'in', [...driverIds])
    .execute();
  const secret = attributes.filter(({ attributeExt }) => isStoredSealed(attributeExt));
  const exts = new Map(secret.map(({ id, attributeExt }) => [id, attributeExt]));
  if (exts.size === 0) return;
  for (let sealed = MAX_SEALED; sealed === MAX_SEALED;) {
    const rows = await clearOf(q, kind, [...exts.keys()]);
    sealed = rows.length;
    if (sealed === 0) return;
    const values = rows.map((row) =>
      storedValue(app, { kind, ...row }, exts.get(row.attributeId) ?? {}, row.configValue),
    );
    await sql`
      update ${sql.table(`svc_${kind}_attribute_config`)} c set config_value = s.sealed
      from unnest(${rows.map(({ id }) => id)}::bigint[], ${values}::text[]) as s (id, sealed)
      where c.id = s.id`.execute(q);
  }
}

/** Values in clear, locked. */
async function clearOf(
  q: Queries,
  kind: AttributeKind,
  attributeIds: readonly string[],
): Promise<Clear[]> {
  const partId = kind === 'driver' ? sql`''` : sql`${sql.ref(`c.${kind}_id`)}::text`;
  const { rows } = await sql<Clear>`
    select c.id, c.tenant_id, c.device_id, c.attribute_id, ${partId} as part_id, c.config_value
    from ${sql.table(`svc_${kind}_attribute_config`)} c
    where c.attribute_id = any(${[...attributeIds]}::bigint[])
      and c.config_value <> '' and not starts_with(c.config_value, 'enc:v1:')
    order by c.id limit ${MAX_SEALED} for update of c`.execute(q);
  return rows;
}
