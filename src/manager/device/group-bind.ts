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
import { type ById, input, Several, shared } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { entity } from '../entity/answer.ts';
import { EntityType, holdEntity } from '../entity/entity-type.ts';

/** Membership of an entity in a group: at most one group per entity. */
export const GroupBind = entity('GroupBind', {
  entityTypeFlag: named(EntityType),
  groupId: AnswerId,
  entityId: AnswerId,
});
export type GroupBind = z.output<typeof GroupBind.schema>;

export const AddGroupBind = input({
  remark: shared.remark,
  entityTypeFlag: flag(EntityType),
  groupId: Id,
  entityId: Id,
});
type AddGroupBind = z.infer<typeof AddGroupBind>;

export const UpdateGroupBind = input({
  remark: shared.remark,
  id: Id,
  version: Version,
  groupId: Id.optional(),
});
type UpdateGroupBind = z.infer<typeof UpdateGroupBind>;

export const GroupBindQuery = input({
  page: Page,
  entityTypeFlag: flag(EntityType).optional(),
  groupId: Id.optional(),
  entityId: Id.optional(),
  entityIds: Several.describe('Of any of these').optional(),
});
type GroupBindQuery = z.infer<typeof GroupBindQuery>;

/** A group of the tenant that takes entities of a type. Throws NotFound; Unprocessable for a group of another type. */
export async function holdGroup(
  q: Queries,
  tenantId: string,
  { groupId, type }: { groupId: string; type: number },
): Promise<{ id: string; groupName: string }> {
  const { id, groupName, entityTypeFlag } = await hold(q, 'svc_group', tenantId, groupId);
  if (entityTypeFlag !== type)
    throw new Unprocessable(
      `The group holds entities of type ${nameOf(EntityType, entityTypeFlag)}`,
    );
  return { id, groupName };
}

/** The transaction of `add`. */
export async function addIn(q: Queries, app: App, caller: Caller, given: AddGroupBind) {
  const { tenantId } = caller;
  await holdGroup(q, tenantId, { groupId: given.groupId, type: given.entityTypeFlag });
  await holdEntity(q, tenantId, given);
  return addRow(q, app, caller, 'svc_group_bind', given);
}

export const add: Operation<AddGroupBind, string> = (app, caller, given) => {
  const adding = inTenant(app.db, caller.tenantId, (q) => addIn(q, app, caller, given));
  return conflictIfTaken('group bind', adding);
};

/** The transaction of `update`. */
export async function updateIn(
  q: Queries,
  app: App,
  caller: Caller,
  given: UpdateGroupBind,
): Promise<void> {
  const { tenantId } = caller;
  const { entityTypeFlag } = await lockedVersion(q, 'svc_group_bind', tenantId, given);
  if (given.groupId) await holdGroup(q, tenantId, { groupId: given.groupId, type: entityTypeFlag });
  await changeRow(q, app, caller, 'svc_group_bind', given);
}

/** Moves the entity to another group of its kind. */
export const update: Operation<UpdateGroupBind, void> = (app, caller, given) =>
  inTenant(app.db, caller.tenantId, (q) => updateIn(q, app, caller, given));

export const remove: Operation<ById, void> = removeIn('svc_group_bind');

export const byId: Operation<ById, GroupBind> = byIdIn('svc_group_bind', GroupBind.of);

export const page: Operation<GroupBindQuery, Paged<GroupBind>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, (q) => {
    let query = narrowed(
      q.selectFrom('svc_group_bind').selectAll().where('tenantId', '=', tenantId),
      given,
      { equal: ['entityTypeFlag', 'groupId', 'entityId'] },
    );
    const { entityIds } = given;
    if (entityIds) query = query.where((eb) => eb('entityId', '=', eb.fn.any(eb.val(entityIds))));
    return pageOf(query.orderBy('id', 'desc'), given.page, GroupBind.of);
  });
