import type { Queries } from '../../db/connect.ts';
import { hold } from '../../kernel/entity/row.ts';
import { Unprocessable } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';

/** Kinds of entities, as states, groups and labels number them (EntityTypeEnum). */
export const EntityType = {
  SYSTEM: 0,
  USER: 1,
  GROUP: 2,
  DRIVER: 3,
  PROFILE: 4,
  POINT: 5,
  DEVICE: 6,
  COMMAND: 7,
  EVENT: 8,
} as const;

/** Kinds that a group or label can hold, with their tables. */
const tables = {
  [EntityType.DRIVER]: 'svc_driver',
  [EntityType.PROFILE]: 'svc_profile',
  [EntityType.POINT]: 'svc_point',
  [EntityType.DEVICE]: 'svc_device',
  [EntityType.COMMAND]: 'svc_command',
  [EntityType.EVENT]: 'svc_event',
} as const;
type Bindable = keyof typeof tables;

const isBindable = (type: number): type is Bindable => type in tables;

/** Locks the entity against deletion in this transaction; throws NotFound, Unprocessable for its kind. */
export async function holdEntity(
  q: Queries,
  tenantId: string,
  { entityTypeFlag, entityId }: { entityTypeFlag: number; entityId: string },
): Promise<void> {
  if (!isBindable(entityTypeFlag))
    throw new Unprocessable(
      'The entity must be a driver, profile, point, device, command or event',
    );
  await hold(q, tables[entityTypeFlag], tenantId, entityId);
}

/** Removes a deleted entity from its group and labels. */
export async function unbind(
  q: Queries,
  tenantId: string,
  type: Bindable,
  entityId: string,
): Promise<void> {
  for (const table of ['svc_group_bind', 'svc_label_bind'] as const)
    await q
      .deleteFrom(table)
      .where('tenantId', '=', tenantId)
      .where('entityTypeFlag', '=', type)
      .where('entityId', '=', entityId)
      .execute();
}

/** Filters of a list by group and label; an unknown id matches no entity. */
export const membership = { groupId: Id.optional(), labelId: Id.optional() };

/** Subqueries for the ids that a list is narrowed to, one per given filter. */
export function members(
  q: Queries,
  tenantId: string,
  type: Bindable,
  { groupId, labelId }: { groupId?: string | undefined; labelId?: string | undefined },
) {
  const found = [];
  if (groupId)
    found.push(
      q
        .selectFrom('svc_group_bind')
        .select('entityId')
        .where('tenantId', '=', tenantId)
        .where('entityTypeFlag', '=', type)
        .where('groupId', '=', groupId),
    );
  if (labelId)
    found.push(
      q
        .selectFrom('svc_label_bind')
        .select('entityId')
        .where('tenantId', '=', tenantId)
        .where('entityTypeFlag', '=', type)
        .where('labelId', '=', labelId),
    );
  return found;
}
