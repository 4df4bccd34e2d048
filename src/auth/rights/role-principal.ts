import type { Selectable } from 'kysely';
import type { z } from 'zod';

import type { Operation } from '../../app.ts';
import { NotFound, Unprocessable } from '../../core/errors.ts';
import { Id } from '../../core/input/id.ts';
import { type ById, input } from '../../core/input/input.ts';
import { Page, type Paged } from '../../core/input/page.ts';
import { Text } from '../../core/input/text.ts';
import { pageOf } from '../../db/query-page.ts';
import type { RolePrincipalBindTable } from '../../db/schema/identity.ts';
import { created } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import { type AuditAction, audit } from '../audit/audit.ts';
import { keepingAnAdmin } from '../people/last-admin.ts';
import { requireMember } from '../people/member.ts';
import { PrincipalType } from '../people/principal.ts';
import { User, usersOf } from '../people/user.ts';
import {
  codesOfRole,
  demandAll,
  demandRightsOf,
  forgetPermissions,
  PLATFORM,
} from './permission.ts';
import { holdTenant, requireRole, type Role, roleOf } from './role.ts';
import { MAX_TREE } from './tree.ts';

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

type Row = Selectable<RolePrincipalBindTable>;

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
    const { id } = await q
      .insertInto('svc_role_principal_bind')
      .values({
        ...given,
        principalType: principal.principalType,
        tenantId,
        ...created(app, caller),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await audit(app, q, caller, entry('CREATE', { id, roleId, principalId }));
    return id;
  });
  const id = await conflictIfTaken('binding', adding);
  forgetPermissions(app, tenantId, principalId);
  return id;
};

/** Removes a binding, effective at once; 403 as for `add`, 409 for the last admin's. */
export const remove: Operation<ById, boolean> = async (app, caller, { id }) => {
  const { tenantId } = caller;
  const { principalId } = await inTenant(app.db, tenantId, async (q) => {
    await holdTenant(q, tenantId);
    const bind = await q
      .selectFrom('svc_role_principal_bind')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!bind) throw new NotFound('Binding');
    demandAll(caller, await codesOfRole(q, bind.roleId));
    await demandRightsOf(q, caller, bind.principalId);
    await keepingAnAdmin(q, [tenantId], () =>
      q
        .deleteFrom('svc_role_principal_bind')
        .where('tenantId', '=', tenantId)
        .where('id', '=', id)
        .execute(),
    );
    await audit(app, q, caller, entry('DELETE', bind));
    return bind;
  });
  forgetPermissions(app, tenantId, principalId);
  return true;
};

/** The role bindings of the tenant, newest first. */
export const page: Operation<z.infer<typeof BindQuery>, Paged<Row>> = (app, { tenantId }, asked) =>
  inTenant(app.db, tenantId, (q) => {
    let found = q
      .selectFrom('svc_role_principal_bind')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .orderBy('id', 'desc');
    const { roleId, principalId, principalType } = asked;
    if (roleId) found = found.where('roleId', '=', roleId);
    if (principalId) found = found.where('principalId', '=', principalId);
    if (principalType) found = found.where('principalType', '=', principalType);
    return pageOf(found, asked.page, (row) => row);
  });

/** The roles of a principal in the tenant; empty for one that is not a member. */
export const roles: Operation<z.infer<typeof OfPrincipal>, Role[]> = async (
  app,
  { tenantId },
  { principalId },
) => {
  const rows = await inTenant(app.db, tenantId, (q) =>
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
  return rows.map(roleOf);
};

/** The users of the tenant with a role. */
export const users: Operation<z.infer<typeof OfRole>, User[]> = async (
  app,
  { tenantId },
  { roleId },
) => {
  const rows = await inTenant(app.db, tenantId, (q) =>
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
