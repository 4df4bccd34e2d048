import type { Queries } from '../../db/connect.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { addIn as addToGroup, updateIn as moveToGroup } from '../device/group-bind.ts';
import { addIn as addLabel } from '../device/label-bind.ts';
import { EntityType } from '../entity/entity-type.ts';
import type { Missing } from './missing.ts';
import type { RowInput } from './row-input.ts';
import type { Refusal } from './rows.ts';

/** Ids of the group and the labels that a row names. */
export type Memberships = { groupId: string | null; labelIds: string[] };

/** Finds the groups and labels of devices that rows name; those in `made` are made before the rows are. */
export async function membershipsOf(
  q: Queries,
  tenantId: string,
  inputs: readonly RowInput[],
  made: Missing = { groups: [], labels: [] },
): Promise<{
  /** `current`: the name of the group that the device is in, which a row may repeat even where others have it too. */
  refusalFor(given: RowInput, current: string | undefined): Refusal | null;
  idsFor(given: RowInput): Memberships;
}> {
  const groupNames = inputs.flatMap(({ groupName }) => groupName ?? []);
  const labelNames = inputs.flatMap((one) => one.labelNames);
  const [groups, labels] = await Promise.all([
    q
      .selectFrom('svc_group')
      .select(['id', 'groupName as name'])
      .where('tenantId', '=', tenantId)
      .where('entityTypeFlag', '=', EntityType.DEVICE)
      .where((eb) => eb('groupName', '=', eb.fn.any(eb.val(groupNames))))
      .execute(),
    q
      .selectFrom('svc_label')
      .select(['id', 'labelName as name'])
      .where('tenantId', '=', tenantId)
      .where('entityTypeFlag', '=', EntityType.DEVICE)
      .where((eb) => eb('labelName', '=', eb.fn.any(eb.val(labelNames))))
      .execute(),
  ]);
  const groupIds = Map.groupBy(groups, ({ name }) => name);
  const labelIds = new Map(labels.map(({ id, name }) => [name, id]));
  return {
    refusalFor({ groupName, labelNames: named }, current) {
      const found = groupName === null ? 1 : (groupIds.get(groupName)?.length ?? 0);
      const isMade = groupName !== null && made.groups.includes(groupName);
      if (found !== 1 && groupName !== current && !isMade)
        return {
          column: 'groupName',
          reason:
            found === 0 ? 'There is no such group of devices' : 'Several groups have this name',
        };
      return named.every((name) => labelIds.has(name) || made.labels.includes(name))
        ? null
        : { column: 'labelNames', reason: 'There is no such label of devices' };
    },
    idsFor: ({ groupName, labelNames: named }) => ({
      groupId: (groupName === null ? undefined : groupIds.get(groupName))?.[0]?.id ?? null,
      labelIds: named.flatMap((name) => labelIds.get(name) ?? []),
    }),
  };
}

/** Puts a device into the named group and gives it the named labels; those it has stay. */
export async function bindIn(
  q: Queries,
  app: App,
  caller: Caller,
  deviceId: string,
  { groupId, labelIds }: Memberships,
): Promise<void> {
  if (groupId === null && labelIds.length === 0) return;
  const device = { entityTypeFlag: EntityType.DEVICE, entityId: deviceId };
  const bound = (table: 'svc_group_bind' | 'svc_label_bind') =>
    q
      .selectFrom(table)
      .selectAll()
      .where('tenantId', '=', caller.tenantId)
      .where('entityTypeFlag', '=', EntityType.DEVICE)
      .where('entityId', '=', deviceId);
  if (groupId !== null) {
    const bind = await bound('svc_group_bind').executeTakeFirst();
    if (!bind) await addToGroup(q, app, caller, { ...device, groupId });
    else if (!('groupId' in bind) || bind.groupId !== groupId)
      await moveToGroup(q, app, caller, { id: bind.id, groupId });
  }
  const labels = await bound('svc_label_bind').execute();
  const has = new Set(labels.map((bind) => ('labelId' in bind ? bind.labelId : '')));
  for (const labelId of new Set(labelIds))
    if (!has.has(labelId)) await addLabel(q, app, caller, { ...device, labelId });
}
