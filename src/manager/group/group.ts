import { randomUUID } from 'node:crypto';

import type { Selectable } from 'kysely';
import { z } from 'zod';

import type { Operation } from '../../app.ts';
import { NotFound, Unprocessable } from '../../core/errors.ts';
import { EnableFlag, flag, nameOf } from '../../core/input/flag.ts';
import { Id, IdOrZero } from '../../core/input/id.ts';
import { type ById, GivenCode, input, shared } from '../../core/input/input.ts';
import { Page, type Paged } from '../../core/input/page.ts';
import { Name, Text } from '../../core/input/text.ts';
import type { Queries } from '../../db/connect.ts';
import { contains, pageOf } from '../../db/query-page.ts';
import type { GroupTable } from '../../db/schema/manager.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import { type Entity, entityOf, expectVersion, nextVersion, Version } from '../entity.ts';
import { lockUnused } from '../in-use.ts';
import { EntityType } from './entity-type.ts';

/** A node of the tree of groups that entities of one kind are sorted into. */
export type Group = Entity & {
  parentGroupId: string;
  groupTypeFlag: keyof typeof EntityType;
  groupName: string;
  groupCode: string;
  /** 0 for a root. */
  groupLevel: number;
  groupIndex: number;
};

const groupOf = (row: Selectable<GroupTable>): Group => ({
  ...entityOf(row),
  parentGroupId: row.parentGroupId,
  groupTypeFlag: nameOf(EntityType, row.entityTypeFlag),
  groupName: row.groupName,
  groupCode: row.groupCode,
  groupLevel: row.groupLevel,
  groupIndex: row.groupIndex,
});

const MAX_LEVELS = 16;
const fields = {
  ...shared,
  parentGroupId: IdOrZero.optional(),
  groupIndex: z.number().int().min(0).max(1_000_000).optional(),
};

export const AddGroup = input({
  ...fields,
  groupName: Name,
  groupCode: GivenCode,
  groupTypeFlag: flag(EntityType),
});
type AddGroup = z.infer<typeof AddGroup>;

export const UpdateGroup = input({
  ...fields,
  id: Id,
  version: Version,
  groupName: Name.optional(),
});
type UpdateGroup = z.infer<typeof UpdateGroup>;

export const GroupQuery = input({
  page: Page,
  groupName: Text(64).optional(),
  parentGroupId: IdOrZero.optional(),
  groupTypeFlag: flag(EntityType).optional(),
  enableFlag: flag(EnableFlag).optional(),
});
type GroupQuery = z.infer<typeof GroupQuery>;

export async function requireGroup(q: Queries, tenantId: string, id: string): Promise<Group> {
  const row = await q
    .selectFrom('svc_group')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw new NotFound('Group');
  return groupOf(row);
}

/** The level below a parent of the same kind; throws when the parent is `id` itself or below it. */
async function levelBelow(
  q: Queries,
  tenantId: string,
  { parentGroupId, type, id }: { parentGroupId: string; type: number; id?: string },
): Promise<number> {
  let level = 0;
  for (let next = parentGroupId; next !== '0'; level += 1) {
    const parent = await requireGroup(q, tenantId, next);
    if (EntityType[parent.groupTypeFlag] !== type)
      throw new Unprocessable('A group and its parent hold entities of the same kind');
    if (next === id) throw new Unprocessable('A group cannot be below itself');
    if (level >= MAX_LEVELS) throw new Unprocessable(`Groups have at most ${MAX_LEVELS} levels`);
    next = parent.parentGroupId;
  }
  return level;
}

export const add: Operation<AddGroup, string> = async (app, caller, given) => {
  const { groupTypeFlag: type, parentGroupId = '0', ...rest } = given;
  const { tenantId } = caller;
  const adding = inTenant(app.db, tenantId, async (q) => {
    const groupLevel = await levelBelow(q, tenantId, { parentGroupId, type });
    return q
      .insertInto('svc_group')
      .values({
        ...rest,
        parentGroupId,
        groupLevel,
        entityTypeFlag: type,
        groupCode: given.groupCode ?? randomUUID(),
        tenantId,
        ...created(app, caller),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
  });
  return (await conflictIfTaken('group', adding)).id;
};

/** A group that has groups below it cannot be moved, so that their levels stay right. */
export const update: Operation<UpdateGroup, void> = async (app, caller, given) => {
  const { id, version, parentGroupId, ...change } = given;
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, async (q) => {
    const before = await requireGroup(q, tenantId, id);
    expectVersion(version, before.version);
    const moved = parentGroupId !== undefined && parentGroupId !== before.parentGroupId;
    const type = EntityType[before.groupTypeFlag];
    const place = moved
      ? { parentGroupId, groupLevel: await levelBelow(q, tenantId, { parentGroupId, type, id }) }
      : {};
    if (moved && (await hasChildren(q, tenantId, id)))
      throw new Unprocessable('Only a group without groups below it can be moved');
    await q
      .updateTable('svc_group')
      .set({ ...change, ...place, ...touched(app, caller), version: nextVersion })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
  });
  await conflictIfTaken('group', updating);
};

async function hasChildren(q: Queries, tenantId: string, id: string): Promise<boolean> {
  const child = await q
    .selectFrom('svc_group')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('parentGroupId', '=', id)
    .executeTakeFirst();
  return child !== undefined;
}

/** Refused with Conflict while it has members or groups below it. */
export const remove: Operation<ById, void> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    await lockUnused(q, 'svc_group', tenantId, id);
    await q.deleteFrom('svc_group').where('tenantId', '=', tenantId).where('id', '=', id).execute();
  });

export const byId: Operation<ById, Group> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, (q) => requireGroup(q, tenantId, id));

export const page: Operation<GroupQuery, Paged<Group>> = (app, { tenantId }, given) =>
  inTenant(app.db, tenantId, (q) => {
    let query = q.selectFrom('svc_group').selectAll().where('tenantId', '=', tenantId);
    if (given.groupName) query = query.where('groupName', 'ilike', contains(given.groupName));
    if (given.parentGroupId !== undefined)
      query = query.where('parentGroupId', '=', given.parentGroupId);
    if (given.groupTypeFlag !== undefined)
      query = query.where('entityTypeFlag', '=', given.groupTypeFlag);
    if (given.enableFlag !== undefined) query = query.where('enableFlag', '=', given.enableFlag);
    return pageOf(query.orderBy('groupIndex').orderBy('id', 'desc'), given.page, groupOf);
  });
