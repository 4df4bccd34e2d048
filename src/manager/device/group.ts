import { randomUUID } from 'node:crypto';

import type { Selectable } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import type { GroupTable } from '../../db/schema/manager.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { AnswerId, named } from '../../kernel/entity/answer.ts';
import { byIdIn } from '../../kernel/entity/by-id.ts';
import { addRow, changeRow, deleteRow, Version } from '../../kernel/entity/change.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { lockedVersion, rowOf } from '../../kernel/entity/row.ts';
import { Unprocessable } from '../../kernel/errors.ts';
import { EnableFlag, flag } from '../../kernel/input/flag.ts';
import { Id, IdOrZero } from '../../kernel/input/id.ts';
import { type ById, GivenCode, input, Several, shared } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Name, Text } from '../../kernel/input/text.ts';
import { entity } from '../entity/answer.ts';
import { EntityType } from '../entity/entity-type.ts';
import { lockUnused } from '../entity/in-use.ts';

/** A node of the tree of groups that entities of one kind are sorted into. */
export const Group = entity('Group', {
  parentGroupId: AnswerId.describe('0: a root'),
  groupTypeFlag: named(EntityType),
  groupName: z.string().meta({ examples: ['Hall 3'] }),
  groupCode: z.string().meta({ examples: ['hall-3'] }),
  groupLevel: z.number().int().describe('0: a root'),
  groupIndex: z
    .number()
    .int()
    .meta({ description: 'Order among its siblings', examples: [1] }),
});
export type Group = z.output<typeof Group.schema>;

const groupOf = (row: Selectable<GroupTable>): Group =>
  Group.of({ ...row, groupTypeFlag: row.entityTypeFlag });

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
  ids: Several.describe('One of these').optional(),
});
type GroupQuery = z.infer<typeof GroupQuery>;

/** The level below a parent of the same kind; throws when the parent is `id` itself or below it. */
async function levelBelow(
  q: Queries,
  tenantId: string,
  { parentGroupId, type, id }: { parentGroupId: string; type: number; id?: string },
): Promise<number> {
  let level = 0;
  for (let next = parentGroupId; next !== '0'; level += 1) {
    const parent = await rowOf(q, 'svc_group', tenantId, next);
    if (parent.entityTypeFlag !== type)
      throw new Unprocessable('A group and its parent hold entities of the same kind');
    if (next === id) throw new Unprocessable('A group cannot be below itself');
    if (level >= MAX_LEVELS) throw new Unprocessable(`Groups have at most ${MAX_LEVELS} levels`);
    next = parent.parentGroupId;
  }
  return level;
}

/** The transaction of `add`. */
export async function addIn(
  q: Queries,
  app: App,
  caller: Caller,
  given: AddGroup,
): Promise<string> {
  const { groupTypeFlag: type, parentGroupId = '0', ...rest } = given;
  const groupLevel = await levelBelow(q, caller.tenantId, { parentGroupId, type });
  const groupCode = given.groupCode ?? randomUUID();
  const place = { parentGroupId, groupLevel, entityTypeFlag: type };
  return addRow(q, app, caller, 'svc_group', { ...rest, ...place, groupCode });
}

export const add: Operation<AddGroup, string> = (app, caller, given) =>
  conflictIfTaken(
    'group',
    inTenant(app.db, caller.tenantId, (q) => addIn(q, app, caller, given)),
  );

/** A group that has groups below it cannot be moved, so that their levels stay right. */
export const update: Operation<UpdateGroup, void> = async (app, caller, given) => {
  const { id, version, parentGroupId, ...change } = given;
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, async (q) => {
    const before = await lockedVersion(q, 'svc_group', tenantId, { id, version });
    const moved = parentGroupId !== undefined && parentGroupId !== before.parentGroupId;
    const type = before.entityTypeFlag;
    const place = moved
      ? { parentGroupId, groupLevel: await levelBelow(q, tenantId, { parentGroupId, type, id }) }
      : {};
    if (moved && (await hasChildren(q, tenantId, id)))
      throw new Unprocessable('Only a group without groups below it can be moved');
    await changeRow(q, app, caller, 'svc_group', { id, ...change, ...place });
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
    await deleteRow(q, 'svc_group', tenantId, id);
  });

export const byId: Operation<ById, Group> = byIdIn('svc_group', groupOf);

export const page: Operation<GroupQuery, Paged<Group>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, (q) => {
    let query = narrowed(
      q.selectFrom('svc_group').selectAll().where('tenantId', '=', tenantId),
      { ...given, entityTypeFlag: given.groupTypeFlag },
      { like: ['groupName'], equal: ['parentGroupId', 'entityTypeFlag', 'enableFlag'] },
    );
    const { ids } = given;
    if (ids) query = query.where((eb) => eb('id', '=', eb.fn.any(eb.val(ids))));
    return pageOf(query.orderBy('groupIndex').orderBy('id', 'desc'), given.page, groupOf);
  });
