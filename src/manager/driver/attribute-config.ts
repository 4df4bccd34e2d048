import { sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerExt, AnswerId } from '../../kernel/entity/answer.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { NotFound } from '../../kernel/errors.ts';
import type { ById } from '../../kernel/input/input.ts';
import type { Paged } from '../../kernel/input/page.ts';
import { isSealed } from '../../kernel/secret.ts';
import { entity } from '../entity/answer.ts';
import { isSecret } from '../entity/secret-value.ts';
import type { AttributeKind } from '../entity/value-type.ts';
import type { ByKeys, ConfigQuery, OfPart } from './attribute-config-input.ts';

/** Replaces a secret config value in answers. */
export const HIDDEN = '******';

/**
 * A device's value for an attribute of its driver, or of one of its points, commands or events
 * (docs/specification/objects.md, Config); `pointId`, `commandId` or `eventId` names the part.
 */
export const AttributeConfig = entity('AttributeConfig', {
  attributeId: AnswerId,
  attributeCode: z.string().meta({ examples: ['endpointName'] }),
  configValue: z
    .string()
    .describe(`${HIDDEN} where the attribute is secret`)
    .meta({ examples: ['boiler-2'] }),
  configExt: AnswerExt,
  deviceId: AnswerId,
  pointId: AnswerId.optional(),
  commandId: AnswerId.optional(),
  eventId: AnswerId.optional(),
});
export type AttributeConfig = z.output<typeof AttributeConfig.schema>;

const MAX_LIST = 10_000;

/** Selects the attribute by scalar subqueries: a join with a table chosen at run time has no type. */
function select(q: Queries, kind: AttributeKind, tenantId: string) {
  const table = `svc_${kind}_attribute_config` as const;
  const attribute = <T>(column: string) => sql<T>`
    (select ${sql.ref(`a.${column}`)} from ${sql.table(`svc_${kind}_attribute`)} a
      where a.tenant_id = ${sql.table(table)}.tenant_id and a.id = ${sql.table(table)}.attribute_id)`;
  return q
    .selectFrom(table)
    .selectAll()
    .select(attribute<string>('attribute_code').as('attributeCode'))
    .select(attribute<Record<string, unknown>>('attribute_ext').as('attributeExt'))
    .where('tenantId', '=', tenantId);
}

type Row = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirstOrThrow']>>;

const configOf = (row: Row): AttributeConfig =>
  AttributeConfig.of({
    ...row,
    configValue: isHidden(row) ? HIDDEN : row.configValue,
  });

/** A value that was sealed while its attribute was secret stays hidden. */
const isHidden = ({ attributeExt, configValue }: Row): boolean =>
  isSecret(attributeExt) || isSealed(configValue);

/** Configs of a device, or of one of its points, commands or events; the first 10,000, secret values hidden. */
export async function configsFor(
  q: Queries,
  kind: AttributeKind,
  tenantId: string,
  of: OfPart,
): Promise<AttributeConfig[]> {
  const query = narrowed(select(q, kind, tenantId), of, {
    equal: ['deviceId', 'pointId', 'commandId', 'eventId'],
  });
  return (await query.orderBy('id').limit(MAX_LIST).execute()).map(configOf);
}

/** Operations that read the configs for attributes of one kind. */
export function readsOf(kind: AttributeKind) {
  const byId: Operation<ById, AttributeConfig> = (app, { tenantId }, { id }) =>
    inOneTrip(app.db, tenantId, async (q) => {
      const row = await select(q, kind, tenantId).where('id', '=', id).executeTakeFirst();
      if (!row) throw new NotFound('Config');
      return configOf(row);
    });

  const byKeys: Operation<ByKeys, AttributeConfig> = (app, { tenantId }, keys) =>
    inOneTrip(app.db, tenantId, async (q) => {
      const row = await narrowed(select(q, kind, tenantId), keys, {
        equal: ['deviceId', 'attributeId', 'pointId', 'commandId', 'eventId'],
      }).executeTakeFirst();
      if (!row) throw new NotFound('Config');
      return configOf(row);
    });

  const byDevice: Operation<OfPart, AttributeConfig[]> = (app, { tenantId }, of) =>
    inOneTrip(app.db, tenantId, async (q) => {
      const [, configs] = await Promise.all([
        rowOf(q, 'svc_device', tenantId, of.deviceId),
        configsFor(q, kind, tenantId, of),
      ]);
      return configs;
    });

  const page: Operation<ConfigQuery, Paged<AttributeConfig>> = (app, { tenantId }, given) =>
    inOneTrip(app.db, tenantId, (q) => {
      const query = narrowed(select(q, kind, tenantId), given, {
        equal: ['attributeId', 'deviceId', 'pointId', 'commandId', 'eventId', 'enableFlag'],
      });
      return pageOf(query.orderBy('id', 'desc'), given.page, configOf);
    });

  return { byId, byKeys, byDevice, page };
}
