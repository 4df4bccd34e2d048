import type { Selectable } from 'kysely';
import type { z } from 'zod';

import type { Operation } from '../../app.ts';
import { NotFound, Unprocessable } from '../../core/errors.ts';
import { flag, nameOf } from '../../core/input/flag.ts';
import { Id } from '../../core/input/id.ts';
import { type ById, input, shared } from '../../core/input/input.ts';
import { Page, type Paged } from '../../core/input/page.ts';
import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import type { GroupBindTable } from '../../db/schema/manager.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import { hold } from '../../entity/row.ts';
import { type Entity, entityOf, expectVersion, nextVersion, Version } from '../entity.ts';
import { EntityType, holdEntity } from './entity-type.ts';
import { requireGroup } from './group.ts';

/** Membership of an entity in a group: at most one group per entity. */
export type GroupBind = Entity & {
  entityTypeFlag: keyof typeof EntityType;
  groupId: string;
  entityId: string;
};

const bindOf = (row: Selectable<GroupBindTable>): GroupBind => ({
  ...entityOf(row),
  entityTypeFlag: nameOf(EntityType, row.entityTypeFlag),
  groupId: row.groupId,
  entityId: row.entityId,
});

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
});
type GroupBindQuery = z.infer<typeof GroupBindQuery>;

async function require(q: Queries, tenantId: string, id: string): Promise<GroupBind> {
  const row = await q
    .selectFrom('svc_group_bind')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw new NotFound('Group bind');
  return bindOf(row);
}

async function checkGroup(q: Queries, tenantId: string, groupId: string, type: number) {
  await hold(q, 'svc_group', tenantId, groupId);
  const group = await requireGroup(q, tenantId, groupId);
  if (EntityType[group.groupTypeFlag] !== type)
    throw new Unprocessable(`The group holds entities of type ${group.groupTypeFlag}`);
}

export const add: Operation<AddGroupBind, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const adding = inTenant(app.db, tenantId, async (q) => {
    await checkGroup(q, tenantId, given.groupId, given.entityTypeFlag);
    await holdEntity(q, tenantId, given);
    return q
      .insertInto('svc_group_bind')
      .values({ ...given, tenantId, ...created(app, caller) })
      .returning('id')
      .executeTakeFirstOrThrow();
  });
  return (await conflictIfTaken('group bind', adding)).id;
};

/** Moves the entity to another group of its kind. */
export const update: Operation<UpdateGroupBind, void> = async (app, caller, given) => {
  const { id, version, ...change } = given;
  const { tenantId } = caller;
  await inTenant(app.db, tenantId, async (q) => {
    const before = await require(q, tenantId, id);
    expectVersion(version, before.version);
    const type = EntityType[before.entityTypeFlag];
    if (change.groupId) await checkGroup(q, tenantId, change.groupId, type);
    await q
      .updateTable('svc_group_bind')
      .set({ ...change, ...touched(app, caller), version: nextVersion })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
  });
};

export const remove: Operation<ById, void> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    await require(q, tenantId, id);
    await q
      .deleteFrom('svc_group_bind')
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
  });

export const byId: Operation<ById, GroupBind> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, (q) => require(q, tenantId, id));

export const page: Operation<GroupBindQuery, Paged<GroupBind>> = (app, { tenantId }, given) =>
  inTenant(app.db, tenantId, (q) => {
    let query = q.selectFrom('svc_group_bind').selectAll().where('tenantId', '=', tenantId);
    if (given.entityTypeFlag !== undefined)
      query = query.where('entityTypeFlag', '=', given.entityTypeFlag);
    if (given.groupId) query = query.where('groupId', '=', given.groupId);
    if (given.entityId) query = query.where('entityId', '=', given.entityId);
    return pageOf(query.orderBy('id', 'desc'), given.page, bindOf);
  });
