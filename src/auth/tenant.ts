import { z } from 'zod';

import type { App, Caller } from '../app.ts';
import { NotFound } from '../core/errors.ts';
import { nameOf, EnableFlag } from '../core/flag.ts';
import { Id } from '../core/id.ts';
import { Text } from '../core/text.ts';
import { inTenant } from '../db/tenant.ts';

export const ById = z.object({ id: Id });
export const ByCode = z.object({ code: Text(64) });

/** The caller's own tenant; NotFound (404) for any other, there or not. */
export const byId = (app: App, caller: Caller, { id }: z.output<typeof ById>) =>
  own(app, caller, (tenant) => tenant.id === id);

/** The caller's own tenant by its code; NotFound (404) for any other. */
export const byCode = (app: App, caller: Caller, { code }: z.output<typeof ByCode>) =>
  own(app, caller, (tenant) => tenant.tenantCode === code);

async function own(
  app: App,
  caller: Caller,
  isMeant: (tenant: { id: string; tenantCode: string }) => boolean,
) {
  const tenant = await inTenant(app.db, caller.tenantId, (q) =>
    q.selectFrom('svc_tenant').selectAll().where('id', '=', caller.tenantId).executeTakeFirst(),
  );
  if (!tenant || !isMeant(tenant)) throw new NotFound('Tenant');
  return { ...tenant, enableFlag: nameOf(EnableFlag, tenant.enableFlag) };
}
