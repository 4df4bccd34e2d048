import { z } from 'zod';

import { demand } from '../../auth/permission/permission.ts';
import type { Queries } from '../../db/connect.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { Unprocessable } from '../../kernel/errors.ts';
import { Name } from '../../kernel/input/text.ts';
import { addIn as addGroup } from '../device/group.ts';
import { addIn as addLabel } from '../device/label.ts';
import { EntityType } from '../entity/entity-type.ts';
import { groupOf, labelsOf } from './row-input.ts';
import type { Row } from './rows.ts';

/** Groups, and labels, that one import makes. */
const MOST = 100;

/** Names of groups and labels of devices that rows name and that do not exist. */
export const Missing = z.object({
  groups: z.array(z.string()).meta({ examples: [['Line A']] }),
  labels: z.array(z.string()).meta({ examples: [['Rented']] }),
});
export type Missing = z.output<typeof Missing>;

/** What `rows` name and is not there, each once, in the order of the table; a text that is no name is left out. */
export async function missingOf(
  q: Queries,
  tenantId: string,
  rows: readonly Row[],
): Promise<Missing> {
  const isName = (text: string): boolean => Name.safeParse(text).success;
  const groups = new Set(rows.flatMap(({ cells }) => groupOf(cells) ?? []).filter(isName));
  const labels = new Set(rows.flatMap(({ cells }) => labelsOf(cells)).filter(isName));
  const known = await Promise.all([
    q
      .selectFrom('svc_group')
      .select('groupName as name')
      .where('tenantId', '=', tenantId)
      .where('entityTypeFlag', '=', EntityType.DEVICE)
      .where((eb) => eb('groupName', '=', eb.fn.any(eb.val([...groups]))))
      .execute(),
    q
      .selectFrom('svc_label')
      .select('labelName as name')
      .where('tenantId', '=', tenantId)
      .where('entityTypeFlag', '=', EntityType.DEVICE)
      .where((eb) => eb('labelName', '=', eb.fn.any(eb.val([...labels]))))
      .execute(),
  ]);
  const [ofGroups, ofLabels] = known.map((each) => new Set(each.map(({ name }) => name)));
  return {
    groups: [...groups].filter((name) => !ofGroups?.has(name)),
    labels: [...labels].filter((name) => !ofLabels?.has(name)),
  };
}

/** Throws Forbidden for a caller that may not make them, Unprocessable where they are too many to be meant. */
export function demandMissing(caller: Caller, { groups, labels }: Missing): void {
  if (groups.length > 0) demand(caller, 'svc-center-manager:group:add');
  if (labels.length > 0) demand(caller, 'svc-center-manager:label:add');
  if (Math.max(groups.length, labels.length) > MOST)
    throw new Unprocessable(`An import makes at most ${MOST} groups and ${MOST} labels`);
}

/** Makes them, the groups at the root. Throws as `demandMissing`, and Conflict. */
export async function makeMissing(
  q: Queries,
  app: App,
  caller: Caller,
  missing: Missing,
): Promise<void> {
  demandMissing(caller, missing);
  const [groupTypeFlag, entityTypeFlag] = [EntityType.DEVICE, EntityType.DEVICE];
  const make = async (): Promise<void> => {
    for (const groupName of missing.groups)
      await addGroup(q, app, caller, { groupName, groupTypeFlag });
    for (const labelName of missing.labels)
      await addLabel(q, app, caller, { labelName, entityTypeFlag });
  };
  await conflictIfTaken('group', make());
}
