import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { created } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { acrossTenantsWithin, inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Caller, Operation } from '../../kernel/app/app.ts';
import { AnswerExt, AnswerId, stored, Time } from '../../kernel/entity/answer.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { Conflict, NotFound, Unprocessable } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, Ext, input } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Text } from '../../kernel/input/text.ts';
import { audit, entriesOf } from '../audit/audit.ts';
import { demandRightsOf } from '../permission/permission.ts';
import { isPlatform } from '../permission/platform.ts';
import { keepingAnAdmin } from './last-admin.ts';
import { demandMayChange, refuseWhileOwner, revokeIn, tenantsOf } from './member.ts';
import { PrincipalType } from './principal.ts';

const Status = z.enum(['ACTIVE', 'SUSPENDED', 'INVITED']);

export const TenantMembership = stored('TenantMembership', {
  tenantId: AnswerId,
  principalId: AnswerId,
  principalType: PrincipalType,
  membershipStatus: Status.describe('Only ACTIVE lets the principal act in the tenant'),
  joinedTime: Time,
  membershipExt: AnswerExt,
});
type TenantMembership = z.output<typeof TenantMembership.schema>;

export const AddMembership = input({
  principalId: Id,
  tenantId: Id.optional(),
  principalType: PrincipalType.optional(),
  membershipStatus: Status.default('ACTIVE'),
  membershipExt: Ext.optional(),
  remark: Text(512).optional(),
});
export const MembershipQuery = input({
  page: Page,
  principalId: Id.optional(),
  principalType: PrincipalType.optional(),
  membershipStatus: Status.optional(),
});

const entry = entriesOf('TENANT_MEMBERSHIP', 'principalId');

/**
 * Makes a user a member: of the caller's tenant, if it was one before and has no other tenant now; of any
 * tenant, if the caller is of the platform. Any other user does not exist (404). Conflict (409) for a
 * service account, which has exactly one tenant, and for a user with a name taken in the tenant. Forbidden
 * (403) for a user with permissions the caller lacks.
 */
export const add: Operation<z.infer<typeof AddMembership>, string> = (app, caller, given) => {
  const { principalId, principalType, tenantId = caller.tenantId, ...rest } = given;
  const adding = inTenant(app.db, caller.tenantId, async (q) => {
    const platform = await isPlatform(q, caller);
    if (!platform && tenantId !== caller.tenantId) throw new NotFound('Tenant');
    const known = await tenantsOf(q, principalId);
    if (known.includes(tenantId)) throw new Conflict('The principal is a member already');
    if (!platform && (known.length > 0 || !(await wasMember(q, caller, principalId)))) {
      throw new NotFound('Principal');
    }
    await demandMayChange(q, caller, principalId);
    const id = await acrossTenantsWithin(q, 'account', async () => {
      const tenant = await q
        .selectFrom('svc_tenant')
        .select('id')
        .where('id', '=', tenantId)
        .executeTakeFirst();
      if (!tenant) throw new NotFound('Tenant');
      const principal = await q
        .selectFrom('svc_principal')
        .select('principalType')
        .where('id', '=', principalId)
        .executeTakeFirst();
      if (!principal) throw new NotFound('Principal');
      if (principalType && principalType !== principal.principalType) {
        throw new Unprocessable(`The principal is a ${principal.principalType}`);
      }
      if (principal.principalType !== 'USER') {
        throw new Conflict('A service account belongs to exactly one tenant');
      }
      const added = await q
        .insertInto('svc_tenant_membership')
        .values({ ...rest, tenantId, principalId, principalType: 'USER', ...created(app, caller) })
        .returning('id')
        .executeTakeFirstOrThrow();
      return added.id;
    });
    await audit(app, q, caller, entry('CREATE', { id, principalId }));
    return id;
  });
  return conflictIfTaken('login or user', adding);
};

/** Whether the principal left this tenant earlier; only the audit log records it. */
async function wasMember(q: Queries, { tenantId }: Caller, principalId: string): Promise<boolean> {
  const left = await q
    .selectFrom('svc_identity_audit_log')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('resourceType', '=', 'TENANT_MEMBERSHIP')
    .where('action', '=', 'DELETE')
    .where('resourceName', '=', principalId)
    .limit(1)
    .executeTakeFirst();
  return left !== undefined;
}

/** Ends a membership with its roles and keys; 409 for the caller, a last admin, an owner, an account. */
export const remove: Operation<ById, true> = async (app, caller, { id }) => {
  const { tenantId } = caller;
  await inTenant(app.db, tenantId, async (q) => {
    const membership = await rowOf(q, 'svc_tenant_membership', tenantId, id);
    const leaving = membership.principalId;
    if (leaving === caller.principalId) throw new Conflict('You cannot end your own membership');
    if (membership.principalType !== 'USER') {
      throw new Conflict('A service account belongs to its tenant: delete the account');
    }
    await demandRightsOf(q, caller, leaving);
    await refuseWhileOwner(q, tenantId, leaving);
    await revokeIn(app, q, [tenantId], leaving);
    await keepingAnAdmin(q, [tenantId], async () => {
      for (const table of [
        'svc_role_principal_bind',
        'svc_tenant_membership',
        'svc_key',
      ] as const) {
        await q
          .deleteFrom(table)
          .where('tenantId', '=', tenantId)
          .where('principalId', '=', leaving)
          .execute();
      }
    });
    await audit(app, q, caller, entry('DELETE', membership));
  });
  return true;
};

/** The memberships of the tenant, newest first. */
export const page: Operation<z.infer<typeof MembershipQuery>, Paged<TenantMembership>> = (
  app,
  { tenantId },
  asked,
) =>
  inOneTrip(app.db, tenantId, (q) => {
    const found = narrowed(
      q
        .selectFrom('svc_tenant_membership')
        .selectAll()
        .where('tenantId', '=', tenantId)
        .orderBy('id', 'desc'),
      asked,
      { equal: ['principalId', 'principalType', 'membershipStatus'] },
    );
    return pageOf(found, asked.page, TenantMembership.of);
  });
