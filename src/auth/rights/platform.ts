import type { Caller } from '../../app.ts';
import { Forbidden } from '../../core/errors.ts';
import type { Queries } from '../../db/connect.ts';

/** The tenant of the platform's operators, made at the first start. */
export const DEFAULT_TENANT = 'default';

/** Whether the caller works in the platform tenant; asked inside a transaction of his own tenant. */
export async function isPlatform(q: Queries, { tenantId }: Caller): Promise<boolean> {
  const tenant = await q
    .selectFrom('svc_tenant')
    .select('tenantCode')
    .where('id', '=', tenantId)
    .executeTakeFirst();
  return tenant?.tenantCode === DEFAULT_TENANT;
}

/** Throws Forbidden (403): what all tenants share is written by the platform tenant only. */
export async function demandPlatform(q: Queries, caller: Caller): Promise<void> {
  if (!(await isPlatform(q, caller))) throw new Forbidden('Only the platform tenant may do this');
}
