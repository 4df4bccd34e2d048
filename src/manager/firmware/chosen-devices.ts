import { sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { hold } from '../../kernel/entity/row.ts';
import { BadRequest, NotFound, Unprocessable } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { EntityType } from '../entity/entity-type.ts';

const MAX_DEVICES = 10_000;
/** A list that is longer is a group or a label. */
const MAX_LISTED = 500;

export const chosen = {
  deviceIds: z
    .array(Id)
    .min(1)
    .max(MAX_LISTED)
    .optional()
    .describe('In the order in which they begin'),
  groupId: Id.optional().describe('All devices of a group, by name'),
  labelId: Id.optional().describe('All devices with a label, by name'),
};
export type Chosen = {
  deviceIds?: string[] | undefined;
  groupId?: string | undefined;
  labelId?: string | undefined;
};

export type ChosenDevices = { ids: string[]; byGroup: string | null; byLabel: string | null };

/**
 * The ids of the chosen devices in the order in which they begin, and the name of the group or label. Throws BadRequest unless they are given in exactly one
 * way, NotFound for one that is missing, Unprocessable for none or too many.
 */
export async function chosenDevices(
  q: Queries,
  tenantId: string,
  { deviceIds, groupId, labelId }: Chosen,
): Promise<ChosenDevices> {
  const ways = [deviceIds, groupId, labelId].filter((way) => way !== undefined);
  if (ways.length !== 1) throw new BadRequest('Give either deviceIds, groupId or labelId');
  if (deviceIds)
    return {
      ids: await listed(q, tenantId, [...new Set(deviceIds)]),
      byGroup: null,
      byLabel: null,
    };
  const [kind, id] = groupId === undefined ? ['label', labelId ?? ''] : ['group', groupId];
  const byGroup = kind === 'group' ? (await hold(q, 'svc_group', tenantId, id)).groupName : null;
  const byLabel = kind === 'label' ? (await hold(q, 'svc_label', tenantId, id)).labelName : null;
  const { rows } = await sql<{ id: string }>`
    select d.id from svc_device d
    join ${sql.table(`svc_${kind}_bind`)} b on b.tenant_id = d.tenant_id and b.entity_id = d.id
      and b.entity_type_flag = ${EntityType.DEVICE} and ${sql.ref(`b.${kind}_id`)} = ${id}
    where d.tenant_id = ${tenantId}
    order by d.device_name, d.id limit ${MAX_DEVICES + 1}`.execute(q);
  if (rows.length === 0) throw new Unprocessable(`The ${kind} has no devices`);
  if (rows.length > MAX_DEVICES)
    throw new Unprocessable(`A roll-out has at most ${MAX_DEVICES} devices`);
  return { ids: rows.map((row) => row.id), byGroup, byLabel };
}

async function listed(q: Queries, tenantId: string, ids: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from svc_device where tenant_id = ${tenantId} and id = any(${ids}::bigint[])`.execute(
    q,
  );
  if (rows.length < ids.length) throw new NotFound('Device');
  return ids;
}
