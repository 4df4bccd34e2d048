import { type RawBuilder, sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { Caller } from '../../kernel/app/app.ts';
import { Forbidden } from '../../kernel/errors.ts';
import { allows } from './permission.ts';

/** Code of the platform operators' tenant, created at the first start. */
export const DEFAULT_TENANT = 'default';

/** The right to run the platform, which counts in its tenant alone; of the built-in roles admins have it. */
export const RUNS_PLATFORM = 'svc-center-auth:platform:run';

/**
 * Whether the caller runs the platform: whoever works in its tenant does not by that. `q` must be a transaction of the
 * caller's tenant.
 */
export async function isPlatform(q: Queries, caller: Caller): Promise<boolean> {
  if (!allows(caller, RUNS_PLATFORM)) return false;
  const tenant = await q
    .selectFrom('svc_tenant')
    .select('tenantCode')
    .where('id', '=', caller.tenantId)
    .executeTakeFirst();
  return tenant?.tenantCode === DEFAULT_TENANT;
}

/** The same as a condition of a query. */
export const isOfPlatform = (caller: Caller): RawBuilder<boolean> =>
  allows(caller, RUNS_PLATFORM)
    ? sql<boolean>`exists (
  select from svc_tenant platform
  where platform.id = ${caller.tenantId} and platform.tenant_code = ${DEFAULT_TENANT})`
    : sql<boolean>`false`;

/** Throws Forbidden (403) unless the caller runs the platform, which alone writes shared data. */
export async function demandPlatform(q: Queries, caller: Caller): Promise<void> {
  if (!(await isPlatform(q, caller)))
    throw new Forbidden(`This needs the right ${RUNS_PLATFORM} in the platform tenant`);
}
