import type { z } from 'zod';

import { AttributeLimits, rangeProblem } from '../../bus/topic/attribute.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { addRow, changeRow, deleteRow, Version } from '../../kernel/entity/change.ts';
import { hold, lockedRow, lockedVersion, rowOf } from '../../kernel/entity/row.ts';
import { Conflict, Unprocessable } from '../../kernel/errors.ts';
import { flag } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, Ext, input, shared } from '../../kernel/input/input.ts';
import { Code, Name, Text } from '../../kernel/input/text.ts';
import { lockUnused } from '../entity/in-use.ts';
import { ValueType, type AttributeKind } from '../entity/value-type.ts';
import { Attribute, type AttributeTable, valueProblem } from './attribute.ts';
import { tellDrivers } from './driver-updates.ts';
import { sealStored } from './seal-stored.ts';

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
function refuseDeclared({
  creatorId,
  attributeCode,
}: Pick<Attribute, 'creatorId' | 'attributeCode'>): void {
  if (creatorId === '0')
    throw new Conflict(
      `The driver declares ${attributeCode} itself; only its next registration changes it`,
    );
}

/** Throws Unprocessable for limits that make no sense, and for a default that is none of the values it takes. */
function checkDefault(attribute: Attribute): void {
  const { attributeTypeFlag, attributeCode, attributeExt, defaultValue } = attribute;
  const { data: limits, error } = AttributeLimits.safeParse(attributeExt);
  const [issue] = error?.issues ?? [];
  const wrong = issue
    ? `${issue.path.join('.')}: ${issue.message}`
    : rangeProblem(attributeTypeFlag, limits ?? {});
  if (wrong !== null) throw new Unprocessable(`attributeExt of ${attributeCode}: ${wrong}`);
  const problem = defaultValue === '' ? null : valueProblem(attribute, defaultValue);
  if (problem !== null) throw new Unprocessable(`The default value of ${attributeCode} ${problem}`);
}

/** Operations on the attributes that users add to those a driver declares (docs/specification/objects.md, Attribute). */
export function changesOf(kind: AttributeKind) {
  const table: AttributeTable = `svc_${kind}_attribute`;

  const add: Operation<AddAttribute, string> = async (app, caller, given) => {
    const { tenantId } = caller;
    const { attributeTypeFlag = ValueType.STRING, ...rest } = given;
    const adding = inTenant(app.db, tenantId, async (q) => {
      await hold(q, 'svc_driver', tenantId, given.driverId);
      const id = await addRow(q, app, caller, table, { ...rest, attributeTypeFlag });
      checkDefault(Attribute.of(await rowOf(q, table, tenantId, id)));
      return id;
    });
    const id = await conflictIfTaken('attribute', adding);
    await tellDrivers(app, tenantId, { driverId: given.driverId });
    return id;
  };

  /** Refused with Conflict for an attribute that the driver declares itself. */
  const update: Operation<UpdateAttribute, void> = async (app, caller, given) => {
    const { id, attributeTypeFlag } = given;
    const { tenantId } = caller;
    const { driverId } = await inTenant(app.db, tenantId, async (q) => {
      const before = await lockedVersion(q, table, tenantId, given);
      refuseDeclared(before);
      // Existing configs were checked against the old type.
      if (attributeTypeFlag !== undefined && attributeTypeFlag !== before.attributeTypeFlag)
        await lockUnused(q, table, tenantId, id);
      await changeRow(q, app, caller, table, given);
      if (given.attributeExt !== undefined) await sealStored(q, app, kind, [before.driverId]);
      checkDefault(Attribute.of(await rowOf(q, table, tenantId, id)));
      return before;
    });
    await tellDrivers(app, tenantId, { driverId });
  };

  /** Refused with Conflict for a declared attribute and while a device has a config for it. */
  const remove: Operation<ById, void> = async (app, { tenantId }, { id }) => {
    const { driverId } = await inTenant(app.db, tenantId, async (q) => {
      const attribute = await lockedRow(q, table, tenantId, id);
      refuseDeclared(attribute);
      await lockUnused(q, table, tenantId, id);
      await deleteRow(q, table, tenantId, id);
      return attribute;
    });
    await tellDrivers(app, tenantId, { driverId });
  };

  return { add, update, remove };
}
