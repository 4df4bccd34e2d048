import type { Selectable } from 'kysely';
import type { z } from 'zod';

import type { Operation } from '../../app.ts';
import type { AttributeType } from '../../bus/topics.ts';
import { NotFound, Unprocessable } from '../../core/errors.ts';
import { flag, nameOf, EnableFlag } from '../../core/input/flag.ts';
import { Id } from '../../core/input/id.ts';
import { type ById, input } from '../../core/input/input.ts';
import { Page, type Paged } from '../../core/input/page.ts';
import { Text } from '../../core/input/text.ts';
import type { Queries } from '../../db/connect.ts';
import { contains, pageOf } from '../../db/query-page.ts';
import type { DriverAttributeTable } from '../../db/schema/manager.ts';
import { inTenant } from '../../db/tenant.ts';
import { type Entity, entityOf } from '../entity.ts';
import { canonical, ValueType } from '../profile/value-type.ts';

/**
 * Tables of attributes, which drivers declare when they register and users add
 * (docs/specification/objects.md, Platform objects).
 */
export type AttributeTable =
  | 'svc_driver_attribute'
  | 'svc_point_attribute'
  | 'svc_command_attribute'
  | 'svc_event_attribute';

export type Attribute = Entity & {
  attributeName: string;
  attributeCode: string;
  attributeTypeFlag: AttributeType;
  defaultValue: string;
  driverId: string;
  /** With `security.secret` no answer contains the config values of this attribute. */
  attributeExt: Record<string, unknown>;
};

const attributeOf = (row: Selectable<DriverAttributeTable>): Attribute => ({
  ...entityOf(row),
  attributeName: row.attributeName,
  attributeCode: row.attributeCode,
  attributeTypeFlag: nameOf(ValueType, row.attributeTypeFlag),
  defaultValue: row.defaultValue,
  driverId: row.driverId,
  attributeExt: row.attributeExt,
});

export const AttributeQuery = input({
  page: Page,
  attributeName: Text(64).optional(),
  attributeCode: Text(64).optional(),
  attributeTypeFlag: flag(ValueType).optional(),
  driverId: Id.optional(),
  enableFlag: flag(EnableFlag).optional(),
});
type AttributeQuery = z.infer<typeof AttributeQuery>;

export const OfDriver = input({ driverId: Id });
type OfDriver = z.infer<typeof OfDriver>;

export const read = (table: AttributeTable) => ({
  byId: ((app, { tenantId }, { id }) =>
    inTenant(app.db, tenantId, (q) =>
      requireAttribute(q, table, tenantId, id),
    )) satisfies Operation<ById, Attribute>,

  /** All attributes of a driver, the first 1,000: a registration declares at most 64. */
  byDriver: ((app, { tenantId }, { driverId }) =>
    inTenant(app.db, tenantId, (q) =>
      attributesOf(q, table, tenantId, driverId),
    )) satisfies Operation<OfDriver, Attribute[]>,

  page: ((app, { tenantId }, given) =>
    inTenant(app.db, tenantId, (q) => {
      let query = q.selectFrom(table).selectAll().where('tenantId', '=', tenantId);
      if (given.attributeName)
        query = query.where('attributeName', 'ilike', contains(given.attributeName));
      if (given.attributeCode)
        query = query.where('attributeCode', 'ilike', contains(given.attributeCode));
      if (given.attributeTypeFlag !== undefined)
        query = query.where('attributeTypeFlag', '=', given.attributeTypeFlag);
      if (given.driverId) query = query.where('driverId', '=', given.driverId);
      if (given.enableFlag !== undefined) query = query.where('enableFlag', '=', given.enableFlag);
      return pageOf(query.orderBy('id', 'desc'), given.page, attributeOf);
    })) satisfies Operation<AttributeQuery, Paged<Attribute>>,
});

export async function attributesOf(
  q: Queries,
  table: AttributeTable,
  tenantId: string,
  driverId: string,
): Promise<Attribute[]> {
  const rows = await q
    .selectFrom(table)
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('driverId', '=', driverId)
    .orderBy('id')
    .limit(1000)
    .execute();
  return rows.map(attributeOf);
}

export async function requireAttribute(
  q: Queries,
  table: AttributeTable,
  tenantId: string,
  id: string,
): Promise<Attribute> {
  const row = await q
    .selectFrom(table)
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw new NotFound('Attribute');
  return attributeOf(row);
}

/** Throws Unprocessable when the attribute is of another driver or the value not of its type. */
export function checkConfig(attribute: Attribute, driverId: string, value: string): void {
  if (attribute.driverId !== driverId)
    throw new Unprocessable("The attribute does not belong to the device's driver");
  if (canonical(attribute.attributeTypeFlag, value) === null)
    throw new Unprocessable(
      `The value of ${attribute.attributeCode} must be a ${attribute.attributeTypeFlag}`,
    );
}

/** Replaces a secret config value in answers. */
export const HIDDEN = '******';

export function isSecret(attributeExt: Record<string, unknown>): boolean {
  const { security } = attributeExt;
  return (
    typeof security === 'object' &&
    security !== null &&
    'secret' in security &&
    security.secret === true
  );
}
