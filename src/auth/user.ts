import { z } from 'zod';

import type { App, Caller } from '../app.ts';
import { NotFound } from '../core/errors.ts';
import { nameOf, EnableFlag } from '../core/flag.ts';
import { Text } from '../core/text.ts';
import { inTenant } from '../db/tenant.ts';

export const ByName = z.object({ name: Text(64) });

/** The profile of a user of the caller's tenant; NotFound (404) when there is none of that name. */
export async function byName(app: App, caller: Caller, { name }: z.output<typeof ByName>) {
  const user = await inTenant(app.db, caller.tenantId, (q) =>
    q
      .selectFrom('svc_user')
      .innerJoin(
        'svc_tenant_membership',
        'svc_tenant_membership.principalId',
        'svc_user.principalId',
      )
      .selectAll('svc_user')
      .where('svc_tenant_membership.tenantId', '=', caller.tenantId)
      .where('svc_user.userName', '=', name.trim().toLowerCase())
      .executeTakeFirst(),
  );
  if (!user) throw new NotFound('User');
  return { ...user, enableFlag: nameOf(EnableFlag, user.enableFlag) };
}
