import type { z } from 'zod';

import type { Operation } from '../../app.ts';
import { Conflict, Unprocessable } from '../../core/errors.ts';
import { flag } from '../../core/input/flag.ts';
import { Id } from '../../core/input/id.ts';
import { type ById, Ext, input, shared } from '../../core/input/input.ts';
import { Code, Name, Text } from '../../core/input/text.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import { hold } from '../../entity/row.ts';
import { tellDrivers } from '../driver/driver-updates.ts';
import { expectVersion, nextVersion, Version } from '../entity.ts';
import { lockUnused } from '../in-use.ts';
import { canonical, ValueType } from '../profile/value-type.ts';
import { type Attribute, type AttributeTable, requireAttribute } from './attribute.ts';

const fields = {
  ...shared,
  attributeTypeFlag: flag(ValueType).optional(),
  defaultValue: Text(256).optional(),
  attributeExt: Ext.optional(),
};

export const AddAttribute = input({
  ...fields,
  attributeName: Name,
  attributeCode: Code,
  driverId: Id,
});
type AddAttribute = z.infer<typeof AddAttribute>;

export const UpdateAttribute = input({
  ...fields,
  id: Id,
  version: Version,
  attributeName: Name.optional(),
});
type UpdateAttribute = z.infer<typeof UpdateAttribute>;

/** A registration writes its rows without a creator; only the driver may change those. */
const isDeclared = ({ creatorId }: Attribute): boolean => creatorId === '0';

function refuseDeclared(attribute: Attribute): void {
  if (isDeclared(attribute))
    throw new Conflict(
      `The driver declares ${attribute.attributeCode} itself; only its next registration changes it`,
    );
}

function checkDefault({ attributeTypeFlag, attributeCode, defaultValue }: Attribute): void {
  if (defaultValue !== '' && canonical(attributeTypeFlag, defaultValue) === null)
    throw new Unprocessable(`The default value of ${attributeCode} must be a ${attributeTypeFlag}`);
}

/** Attributes that users add to those a driver declares (docs/specification/objects.md, Attribute). */
export const change = (table: AttributeTable) => ({
  add: (async (app, caller, given) => {
    const { tenantId } = caller;
    const { attributeTypeFlag = ValueType.STRING, ...rest } = given;
    const adding = inTenant(app.db, tenantId, async (q) => {
      await hold(q, 'svc_driver', tenantId, given.driverId);
      const { id } = await q
        .insertInto(table)
        .values({ ...rest, attributeTypeFlag, tenantId, ...created(app, caller) })
        .returning('id')
        .executeTakeFirstOrThrow();
      checkDefault(await requireAttribute(q, table, tenantId, id));
      return id;
    });
    const id = await conflictIfTaken('attribute', adding);
    await tellDrivers(app, tenantId, { driverId: given.driverId });
    return id;
  }) satisfies Operation<AddAttribute, string>,

  /** Refused with Conflict for an attribute that the driver declares itself. */
  update: (async (app, caller, given) => {
    const { id, version, ...fieldsGiven } = given;
    const { tenantId } = caller;
    const { driverId } = await inTenant(app.db, tenantId, async (q) => {
      const before = await requireAttribute(q, table, tenantId, id);
      expectVersion(version, before.version);
      refuseDeclared(before);
      const type = fieldsGiven.attributeTypeFlag ?? ValueType[before.attributeTypeFlag];
      // Existing configs were checked against the old type.
      if (type !== ValueType[before.attributeTypeFlag]) await lockUnused(q, table, tenantId, id);
      await q
        .updateTable(table)
        .set({ ...fieldsGiven, ...touched(app, caller), version: nextVersion })
        .where('tenantId', '=', tenantId)
        .where('id', '=', id)
        .execute();
      checkDefault(await requireAttribute(q, table, tenantId, id));
      return before;
    });
    await tellDrivers(app, tenantId, { driverId });
  }) satisfies Operation<UpdateAttribute, void>,

  /** Refused with Conflict for a declared attribute and while a device has a config for it. */
  remove: (async (app, { tenantId }, { id }) => {
    const { driverId } = await inTenant(app.db, tenantId, async (q) => {
      const attribute = await requireAttribute(q, table, tenantId, id);
      refuseDeclared(attribute);
      await lockUnused(q, table, tenantId, id);
      await q.deleteFrom(table).where('tenantId', '=', tenantId).where('id', '=', id).execute();
      return attribute;
    });
    await tellDrivers(app, tenantId, { driverId });
  }) satisfies Operation<ById, void>,
});
