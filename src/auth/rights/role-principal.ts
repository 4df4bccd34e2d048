import type { z } from 'zod';

import { pageOf } from '../../db/query-page.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerId, stored } from '../../kernel/entity/answer.ts';
import { addRow, deleteRow } from '../../kernel/entity/change.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { Unprocessable } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, input } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Text } from '../../kernel/input/text.ts';
import { type AuditAction, audit } from '../audit/audit.ts';
import { keepingAnAdmin } from '../people/last-admin.ts';
import { requireMember } from '../people/member.ts';
import { PrincipalType } from '../people/principal.ts';
import { User, usersOf } from '../people/user.ts';
import { codesOfRole, demandAll, demandRightsOf, PLATFORM } from '../permission/permission.ts';
import { holdTenant, requireRole, Role } from './role.ts';
import { MAX_TREE } from './tree.ts';

/** A role that a principal has in the tenant. */
export const RolePrincipalBind = stored('RolePrincipalBind', {
  tenantId: AnswerId,
  roleId: AnswerId,
  principalId: AnswerId,
  principalType: PrincipalType,
});
type RolePrincipalBind = z.output<typeof RolePrincipalBind.schema>;

export const AddBind = input({
  roleId: Id,
  principalId: Id,
  principalType: PrincipalType.optional(),
  remark: Text(512).optional(),
});
export const BindQuery = input({
  page: Page,
  roleId: Id.optional(),
  principalId: Id.optional(),
  principalType: PrincipalType.optional(),
});
export const OfPrincipal = input({ principalId: Id });
export const OfRole = input({ roleId: Id });

const entry = (
  action: AuditAction,
  { id, roleId, principalId }: { id: string; roleId: string; principalId: string },
) => ({
  action,
  resourceType: 'ROLE_PRINCIPAL_BIND',
  resourceId: id,
  resourceName: '',
  detail: { roleId, principalId },
});

/**
 * Binds a role to a member of the tenant, effective at once; Forbidden (403) for a role or a member with
 * permissions the caller lacks.
 */
export const add: Operation<z.infer<typeof AddBind>, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const { roleId, principalId, principalType } = given;
  const adding = inTenant(app.db, tenantId, async (q) => {
    await holdTenant(q, tenantId);
    const role = await requireRole(q, tenantId, roleId);
    const principal = await requireMember(q, tenantId, principalId);
    if (principalType && principalType !== principal.principalType) {
      throw new Unprocessable(`The principal is a ${principal.principalType}`);
    }
    demandAll(caller, await codesOfRole(q, role.id));
    await demandRightsOf(q, caller, principalId);
    const id = await addRow(q, app, caller, 'svc_role_principal_bind', {
      ...given,
      principalType: principal.principalType,
    });
    await audit(app, q, caller, entry('CREATE', { id, roleId, principalId }));
    return id;
  });
  return conflictIfTaken('binding', adding);
};

/** Removes a binding, effective at once; 403 as for `add`, 409 for the last admin's. */
export const remove: Operation<ById, true> = async (app, caller, { id }) => {
  const { tenantId } = caller;
  await inTenant(app.db, tenantId, async (q) => {
    await holdTenant(q, tenantId);
    const bind = await rowOf(q, 'svc_role_principal_bind', tenantId, id);
    demandAll(caller, await codesOfRole(q, bind.roleId));
    await demandRightsOf(q, caller, bind.principalId);
    await keepingAnAdmin(q, [tenantId], () =>
      deleteRow(q, 'svc_role_principal_bind', tenantId, id),
    );
    await audit(app, q, caller, entry('DELETE', bind));
  });
  return true;
};

/** The role bindings of the tenant, newest first. */
export const page: Operation<z.infer<typeof BindQuery>, Paged<RolePrincipalBind>> = (
  app,
  { tenantId },
  asked,
) =>
  inOneTrip(app.db, tenantId, (q) => {
    const found = narrowed(
      q
        .selectFrom('svc_role_principal_bind')
        .selectAll()
        .where('tenantId', '=', tenantId)
        .orderBy('id', 'desc'),
      asked,
      { equal: ['roleId', 'principalId', 'principalType'] },
    );
    return pageOf(found, asked.page, RolePrincipalBind.of);
  });

/** The roles of a principal in the tenant; empty for one that is not a member. */
export const roles: Operation<z.infer<typeof OfPrincipal>, Role[]> = async (
  app,
  { tenantId },
  { principalId },
) => {
  const rows = await inOneTrip(app.db, tenantId, (q) =>
    q
      .selectFrom('svc_role')
      .innerJoin('svc_role_principal_bind as bind', 'bind.roleId', 'svc_role.id')
      .selectAll('svc_role')
      .where('bind.tenantId', '=', tenantId)
      .where('bind.principalId', '=', principalId)
      .where('svc_role.tenantId', 'in', [tenantId, PLATFORM])
      .orderBy('svc_role.id')
      .limit(MAX_TREE)
      .execute(),
  );
  return rows.map(Role.of);
};

/** The users of the tenant with a role. */
export const users: Operation<z.infer<typeof OfRole>, User[]> = async (
  app,
  { tenantId },
  { roleId },
) => {
  const rows = await inOneTrip(app.db, tenantId, (q) =>
    usersOf(q, tenantId)
      .innerJoin('svc_role_principal_bind as bind', 'bind.principalId', 'svc_user.principalId')
      .where('bind.tenantId', '=', tenantId)
      .where('bind.roleId', '=', roleId)
      .orderBy('svc_user.id')
      .limit(MAX_TREE)
      .execute(),
  );
  return rows.map(User.of);
};
