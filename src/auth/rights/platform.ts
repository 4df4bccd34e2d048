import { sql } from 'kysely';

import type { Caller } from '../../app.ts';
import { Forbidden } from '../../core/errors.ts';
import type { Queries } from '../../db/connect.ts';

/** Code of the platform operators' tenant, created at the first start. */
export const DEFAULT_TENANT = 'default';

/** Whether the caller is in the platform tenant; `q` must be a transaction of the caller's tenant. */
export async function isPlatform(q: Queries, { tenantId }: Caller): Promise<boolean> {
  const tenant = await q
    .selectFrom('svc_tenant')
    .select('tenantCode')
    .where('id', '=', tenantId)
    .executeTakeFirst();
  return tenant?.tenantCode === DEFAULT_TENANT;
}

/** The same as a condition of a query. */
export const isOfPlatform = ({ tenantId }: Caller) => sql<boolean>`exists (
  select from svc_tenant platform where platform.id = ${tenantId} and platform.tenant_code = ${DEFAULT_TENANT})`;

/** Throws Forbidden (403) unless the caller is in the platform tenant, which alone writes shared data. */
export async function demandPlatform(q: Queries, caller: Caller): Promise<void> {
  if (!(await isPlatform(q, caller))) throw new Forbidden('Only the platform tenant may do this');
}
