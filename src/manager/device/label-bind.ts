import type { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { AnswerId, named } from '../../kernel/entity/answer.ts';
import { byIdIn, removeIn } from '../../kernel/entity/by-id.ts';
import { addRow, changeRow, Version } from '../../kernel/entity/change.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { hold, lockedVersion } from '../../kernel/entity/row.ts';
import { Unprocessable } from '../../kernel/errors.ts';
import { flag, nameOf } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, input, shared } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { entity } from '../entity/answer.ts';
import { EntityType, holdEntity } from '../entity/entity-type.ts';

/** Assignment of a label to an entity. */
export const LabelBind = entity('LabelBind', {
  entityTypeFlag: named(EntityType),
  labelId: AnswerId,
  entityId: AnswerId,
});
export type LabelBind = z.output<typeof LabelBind.schema>;

export const AddLabelBind = input({
  remark: shared.remark,
  entityTypeFlag: flag(EntityType),
  labelId: Id,
  entityId: Id,
});
type AddLabelBind = z.infer<typeof AddLabelBind>;

export const UpdateLabelBind = input({
  remark: shared.remark,
  id: Id,
  version: Version,
  labelId: Id.optional(),
});
type UpdateLabelBind = z.infer<typeof UpdateLabelBind>;

export const LabelBindQuery = input({
  page: Page,
  entityTypeFlag: flag(EntityType).optional(),
  labelId: Id.optional(),
  entityId: Id.optional(),
});
type LabelBindQuery = z.infer<typeof LabelBindQuery>;

async function checkLabel(q: Queries, tenantId: string, labelId: string, type: number) {
  const { entityTypeFlag } = await hold(q, 'svc_label', tenantId, labelId);
  if (entityTypeFlag !== type)
    throw new Unprocessable(
      `The label is for entities of type ${nameOf(EntityType, entityTypeFlag)}`,
    );
}

/** The transaction of `add`. */
export async function addIn(q: Queries, app: App, caller: Caller, given: AddLabelBind) {
  const { tenantId } = caller;
  await checkLabel(q, tenantId, given.labelId, given.entityTypeFlag);
  await holdEntity(q, tenantId, given);
  return addRow(q, app, caller, 'svc_label_bind', given);
}

export const add: Operation<AddLabelBind, string> = (app, caller, given) => {
  const adding = inTenant(app.db, caller.tenantId, (q) => addIn(q, app, caller, given));
  return conflictIfTaken('label bind', adding);
};

/** Replaces the label by another one of its kind. */
export const update: Operation<UpdateLabelBind, void> = async (app, caller, given) => {
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, async (q) => {
    const { entityTypeFlag } = await lockedVersion(q, 'svc_label_bind', tenantId, given);
    if (given.labelId) await checkLabel(q, tenantId, given.labelId, entityTypeFlag);
    await changeRow(q, app, caller, 'svc_label_bind', given);
  });
  await conflictIfTaken('label bind', updating);
};

export const remove: Operation<ById, void> = removeIn('svc_label_bind');

export const byId: Operation<ById, LabelBind> = byIdIn('svc_label_bind', LabelBind.of);

export const page: Operation<LabelBindQuery, Paged<LabelBind>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, (q) => {
    const query = narrowed(
      q.selectFrom('svc_label_bind').selectAll().where('tenantId', '=', tenantId),
      given,
      { equal: ['entityTypeFlag', 'labelId', 'entityId'] },
    );
    return pageOf(query.orderBy('id', 'desc'), given.page, LabelBind.of);
  });
