import { type RawBuilder, sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { profileOf } from '../../manager/profile/profile.ts';

/** What manuals are asked for: a device, with those of its profile and of the tenant; a profile, with the tenant's; or all. */
export const ofWhat = {
  deviceId: Id.optional().describe('Of it, of its profile and of the tenant'),
  profileId: Id.optional().describe('Of it and of the tenant'),
};
export type OfWhat = { deviceId?: string | undefined; profileId?: string | undefined };

/** Throws BadRequest for both, NotFound for a device or profile that is not the tenant's; waits for nothing before it asks. */
export async function demandThere(
  q: Queries,
  tenantId: string,
  { deviceId, profileId }: OfWhat,
): Promise<void> {
  if (deviceId !== undefined && profileId !== undefined)
    throw new BadRequest('Give either deviceId or profileId');
  if (deviceId !== undefined) await rowOf(q, 'svc_device', tenantId, deviceId);
  if (profileId !== undefined) await rowOf(q, 'svc_profile', tenantId, profileId);
}

/** The condition on columns `device_id` and `profile_id`. */
export function inReach(
  q: Queries,
  tenantId: string,
  { deviceId, profileId }: OfWhat,
): RawBuilder<boolean> {
  if (deviceId !== undefined)
    return sql<boolean>`(device_id = ${deviceId} or (device_id = 0 and (profile_id = 0
      or profile_id = ${profileOf(q, tenantId, deviceId)})))`;
  if (profileId !== undefined)
    return sql<boolean>`(device_id = 0 and (profile_id = 0 or profile_id = ${profileId}))`;
  return sql<boolean>`true`;
}
