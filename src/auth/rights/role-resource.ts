import type { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { created } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerId, stored } from '../../kernel/entity/answer.ts';
import { NotFound } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, input } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Text } from '../../kernel/input/text.ts';
import { type AuditAction, audit } from '../audit/audit.ts';
import { keepingAnAdmin } from '../people/last-admin.ts';
import { demand, PLATFORM } from '../permission/permission.ts';
import { requireResource, Resource } from './resource.ts';
import { holdTenant, requireOwnRole, Role } from './role.ts';
import { MAX_TREE } from './tree.ts';

/** A resource that a role holds, in every tenant that sees the role. */
export const RoleResourceBind = stored('RoleResourceBind', {
  roleId: AnswerId,
  resourceId: AnswerId,
});
type RoleResourceBind = z.output<typeof RoleResourceBind.schema>;

export const AddBind = input({ roleId: Id, resourceId: Id, remark: Text(512).optional() });
export const BindQuery = input({
  page: Page,
  roleId: Id.optional(),
  resourceId: Id.optional(),
});
export const OfRole = input({ roleId: Id });
export const OfPrincipal = input({ principalId: Id });
export const OfResource = input({ resourceId: Id });

const entry = (
  action: AuditAction,
  { id, roleId, resourceId }: { id: string; roleId: string; resourceId: string },
) => ({
  action,
  resourceType: 'ROLE_RESOURCE_BIND',
  resourceId: id,
  resourceName: '',
  detail: { roleId, resourceId },
});

/** Resource bindings of the tenant's own and the built-in roles, joined with the role. */
const visible = (q: Queries, tenantId: string) =>
  q
    .selectFrom('svc_role_resource_bind as bind')
    .innerJoin('svc_role', 'svc_role.id', 'bind.roleId')
    .where('svc_role.tenantId', 'in', [tenantId, PLATFORM]);

/** Binds a resource to a role of the tenant; Forbidden (403) for a resource the caller does not hold. */
export const add: Operation<z.infer<typeof AddBind>, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const adding = inTenant(app.db, tenantId, async (q) => {
    await holdTenant(q, tenantId);
    await requireOwnRole(q, tenantId, given.roleId);
    demand(caller, (await requireResource(q, given.resourceId)).resourceCode);
    const { id } = await q
      .insertInto('svc_role_resource_bind')
      .values({ ...given, ...created(app, caller) })
      .returning('id')
      .executeTakeFirstOrThrow();
    await audit(app, q, caller, entry('CREATE', { id, ...given }));
    return id;
  });
  return conflictIfTaken('binding', adding);
};

/**
 * Removes a resource the caller holds (403) from a role of the tenant, at once; 409 when no admin is left.
 */
export const remove: Operation<ById, true> = async (app, caller, { id }) => {
  const { tenantId } = caller;
  await inTenant(app.db, tenantId, async (q) => {
    const bind = await visible(q, tenantId)
      .selectAll('bind')
      .where('bind.id', '=', id)
      .executeTakeFirst();
    if (!bind) throw new NotFound('Binding');
    await requireOwnRole(q, tenantId, bind.roleId);
    demand(caller, (await requireResource(q, bind.resourceId)).resourceCode);
    await keepingAnAdmin(q, [tenantId], () =>
      q.deleteFrom('svc_role_resource_bind').where('id', '=', id).execute(),
    );
    await audit(app, q, caller, entry('DELETE', bind));
  });
  return true;
};

/** The resource bindings of the tenant's own and the built-in roles, newest first. */
export const page: Operation<z.infer<typeof BindQuery>, Paged<RoleResourceBind>> = (
  app,
  { tenantId },
  asked,
) =>
  inOneTrip(app.db, tenantId, (q) => {
    let found = visible(q, tenantId).selectAll('bind').orderBy('bind.id', 'desc');
    if (asked.roleId) found = found.where('bind.roleId', '=', asked.roleId);
    if (asked.resourceId) found = found.where('bind.resourceId', '=', asked.resourceId);
    return pageOf(found, asked.page, RoleResourceBind.of);
  });

const resourcesOf = (q: Queries, tenantId: string) =>
  visible(q, tenantId)
    .innerJoin('svc_resource', 'svc_resource.id', 'bind.resourceId')
    .selectAll('svc_resource')
    .distinct()
    .orderBy('svc_resource.id')
    .limit(MAX_TREE);

/** The resources of a role; empty for a role of another tenant. */
export const byRole: Operation<z.infer<typeof OfRole>, Resource[]> = async (
  app,
  { tenantId },
  { roleId },
) => {
  const rows = await inOneTrip(app.db, tenantId, (q) =>
    resourcesOf(q, tenantId).where('bind.roleId', '=', roleId).execute(),
  );
  return rows.map(Resource.of);
};

/** The resources of a principal's roles in the tenant, disabled ones included. */
export const byPrincipal: Operation<z.infer<typeof OfPrincipal>, Resource[]> = async (
  app,
  { tenantId },
  { principalId },
) => {
  const rows = await inOneTrip(app.db, tenantId, (q) =>
    resourcesOf(q, tenantId)
      .innerJoin('svc_role_principal_bind as held', 'held.roleId', 'svc_role.id')
      .where('held.tenantId', '=', tenantId)
      .where('held.principalId', '=', principalId)
      .execute(),
  );
  return rows.map(Resource.of);
};

/** The roles of the tenant, and the built-in ones, that hold a resource. */
export const roles: Operation<z.infer<typeof OfResource>, Role[]> = async (
  app,
  { tenantId },
  { resourceId },
) => {
  const rows = await inOneTrip(app.db, tenantId, (q) =>
    visible(q, tenantId)
      .selectAll('svc_role')
      .where('bind.resourceId', '=', resourceId)
      .orderBy('svc_role.id')
      .limit(MAX_TREE)
      .execute(),
  );
  return rows.map(Role.of);
};
