import { z } from 'zod';

import { touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { EnableFlag, nameOf } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { Ext, input, shared } from '../../kernel/input/input.ts';
import { Name, Text } from '../../kernel/input/text.ts';
import { audit, changesOf } from '../audit/audit.ts';
import { demandRightsOf } from '../permission/permission.ts';
import { requireMember } from './member.ts';
import { setEnabled } from './principal.ts';

export const UpdateServiceAccount = input({
  ...shared,
  id: Id,
  serviceAccountName: Name.optional(),
  ownerPrincipalId: Id.optional(),
  purpose: Text(512).optional(),
  expireTime: z.iso.datetime({ offset: true }).nullish(),
  credentialPolicyExt: Ext.optional(),
});

/**
 * Changes the given fields; with an expiry in the past its tokens are refused at once. Throws
 * Forbidden (403) for an account with permissions the caller lacks: the caller could prolong its life.
 */
export const update: Operation<z.infer<typeof UpdateServiceAccount>, void> = async (
  app,
  caller,
  given,
) => {
  const { id, expireTime, enableFlag, ...change } = given;
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, async (q) => {
    const account = await rowOf(q, 'svc_service_account', tenantId, id);
    await demandRightsOf(q, caller, account.principalId);
    if (change.ownerPrincipalId) await requireMember(q, tenantId, change.ownerPrincipalId);
    await q
      .updateTable('svc_service_account')
      .set({
        ...change,
        ...(expireTime === undefined
          ? {}
          : { expireTime: expireTime === null ? null : new Date(expireTime) }),
        ...touched(app, caller),
      })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
    if (change.serviceAccountName) {
      const name = change.serviceAccountName;
      await q
        .updateTable('svc_principal')
        .set({ principalName: name, displayName: name, ...touched(app, caller) })
        .where('id', '=', account.principalId)
        .execute();
    }
    if (enableFlag !== undefined && enableFlag !== account.enableFlag) {
      await setEnabled(app, q, caller, account.principalId, nameOf(EnableFlag, enableFlag));
    }
    await audit(app, q, caller, {
      action: 'UPDATE',
      resourceType: 'SERVICE_ACCOUNT',
      resourceId: id,
      resourceName: account.serviceAccountName,
      detail: changesOf(account, {
        ...change,
        enableFlag,
        expireTime: expireTime && new Date(expireTime),
      }),
    });
  });
  await conflictIfTaken('service account', updating);
};
