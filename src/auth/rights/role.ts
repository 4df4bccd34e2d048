import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerExt, AnswerId, named, stored } from '../../kernel/entity/answer.ts';
import { addRow, deleteRow } from '../../kernel/entity/change.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { Conflict, Forbidden, NotFound, Unprocessable } from '../../kernel/errors.ts';
import { EnableFlag, flag } from '../../kernel/input/flag.ts';
import { Id, IdOrZero } from '../../kernel/input/id.ts';
import { type ById, Ext, GivenCode, input, shared } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Name, Text } from '../../kernel/input/text.ts';
import { audit, changesOf, entriesOf } from '../audit/audit.ts';
import { keepingAnAdmin } from '../people/last-admin.ts';
import { BUILT_IN_ROLES } from '../permission/built-in-role.ts';
import { codesOfRole, demandAll, PLATFORM } from '../permission/permission.ts';
import { MAX_TREE, type Tree, treeOf } from './tree.ts';

const NONE = '0';

/** A role of a tenant; the built-in ones are the same in every tenant. */
export const Role = stored('Role', {
  parentRoleId: AnswerId.describe('0: none'),
  roleName: z.string().meta({ examples: ['Shift lead'] }),
  roleCode: z.string().meta({ examples: ['shift-lead'] }),
  roleExt: AnswerExt,
  enableFlag: named(EnableFlag),
  tenantId: AnswerId.describe('0: built in'),
});
export type Role = z.output<typeof Role.schema>;

export const RoleTree = Role.schema
  .extend({
    get children() {
      return z.array(RoleTree);
    },
  })
  .meta({ id: 'RoleTree' });

const fields = { ...shared, parentRoleId: IdOrZero.optional(), roleExt: Ext.optional() };

export const AddRole = input({ ...fields, roleName: Name, roleCode: GivenCode });
export const UpdateRole = input({
  ...fields,
  id: Id,
  roleName: Name.optional(),
  roleCode: Text(64).optional(),
});
const filters = {
  roleName: Text(64).optional(),
  roleCode: Text(64).optional(),
  enableFlag: flag(EnableFlag).optional(),
};
export const RoleQuery = input({ page: Page, ...filters });
export const RoleTreeQuery = input(filters);
type RoleTreeQuery = z.infer<typeof RoleTreeQuery>;

/** A role of the tenant or a built-in one; NotFound (404) for every other. */
export async function requireRole(q: Queries, tenantId: string, id: string) {
  const role = await q
    .selectFrom('svc_role')
    .selectAll()
    .where('tenantId', 'in', [tenantId, PLATFORM])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!role) throw new NotFound('Role');
  return role;
}

/** A role the tenant may change; Forbidden (403) for a built-in one. */
export async function requireOwnRole(q: Queries, tenantId: string, id: string) {
  const role = await requireRole(q, tenantId, id);
  if (role.tenantId === PLATFORM) throw new Forbidden('Built-in roles cannot be changed');
  return role;
}

/** Locks the tenant row, so that structural changes of a tenant's roles run one after the other. */
export async function holdTenant(q: Queries, tenantId: string): Promise<void> {
  await q.selectFrom('svc_tenant').select('id').where('id', '=', tenantId).forUpdate().execute();
}

const entry = entriesOf('ROLE', 'roleCode');

/** Adds a role without resources to the tenant; 409 for a taken or built-in code. */
export const add: Operation<z.infer<typeof AddRole>, string> = (app, caller, given) => {
  const { tenantId } = caller;
  const { roleCode = randomUUID(), parentRoleId = NONE, ...rest } = given;
  if (Object.hasOwn(BUILT_IN_ROLES, roleCode)) throw new Conflict('The role code is built in');
  const adding = inTenant(app.db, tenantId, async (q) => {
    await holdTenant(q, tenantId);
    if (parentRoleId !== NONE) await requireRole(q, tenantId, parentRoleId);
    const id = await addRow(q, app, caller, 'svc_role', { ...rest, parentRoleId, roleCode });
    await audit(app, q, caller, entry('CREATE', { id, roleCode }));
    return id;
  });
  return conflictIfTaken('role', adding);
};

/**
 * Changes the given fields of a role of the tenant. The code is fixed (422); enabling or disabling needs
 * all its permissions (403), and disabling must leave the tenant an admin (409).
 */
export const update: Operation<z.infer<typeof UpdateRole>, void> = async (app, caller, given) => {
  const { id, roleCode, ...change } = given;
  const { tenantId } = caller;
  await inTenant(app.db, tenantId, async (q) => {
    await holdTenant(q, tenantId);
    const role = await requireOwnRole(q, tenantId, id);
    if (roleCode !== undefined && roleCode !== role.roleCode) {
      throw new Unprocessable('The role code cannot be changed');
    }
    if (change.enableFlag !== undefined && change.enableFlag !== role.enableFlag) {
      demandAll(caller, await codesOfRole(q, id));
    }
    if (change.parentRoleId !== undefined) await refuseCycle(q, tenantId, id, change.parentRoleId);
    await keepingAnAdmin(q, [tenantId], () =>
      q
        .updateTable('svc_role')
        .set({ ...change, ...touched(app, caller) })
        .where('tenantId', '=', tenantId)
        .where('id', '=', id)
        .execute(),
    );
    await audit(app, q, caller, { ...entry('UPDATE', role), detail: changesOf(role, change) });
  });
};

async function refuseCycle(q: Queries, tenantId: string, id: string, parent: string) {
  for (let above = parent; above !== NONE;) {
    if (above === id) throw new Unprocessable('A role cannot stand below itself');
    above = (await requireRole(q, tenantId, above)).parentRoleId;
  }
}

/** Deletes a role of the tenant with its resource bindings; 409 while principals or child roles use it. */
export const remove: Operation<ById, true> = async (app, caller, { id }) => {
  const { tenantId } = caller;
  await inTenant(app.db, tenantId, async (q) => {
    await holdTenant(q, tenantId);
    const role = await requireOwnRole(q, tenantId, id);
    for (const [table, column, reason] of [
      ['svc_role_principal_bind', 'roleId', 'Principals have this role'],
      ['svc_role', 'parentRoleId', 'Other roles stand below this one'],
    ] as const) {
      const user = await q
        .selectFrom(table)
        .select('id')
        .where('tenantId', '=', tenantId)
        .where(column, '=', id)
        .limit(1)
        .executeTakeFirst();
      if (user) throw new Conflict(reason);
    }
    await q.deleteFrom('svc_role_resource_bind').where('roleId', '=', id).execute();
    await deleteRow(q, 'svc_role', tenantId, id);
    await audit(app, q, caller, entry('DELETE', role));
  });
  return true;
};

/** One role of the tenant, or a built-in one; NotFound (404). */
export const byId: Operation<ById, Role> = (app, { tenantId }, { id }) =>
  inOneTrip(app.db, tenantId, async (q) => Role.of(await requireRole(q, tenantId, id)));

const found = (q: Queries, tenantId: string, asked: RoleTreeQuery) =>
  narrowed(
    q
      .selectFrom('svc_role')
      .selectAll()
      .where('tenantId', 'in', [tenantId, PLATFORM])
      .orderBy('id', 'desc'),
    asked,
    { like: ['roleName', 'roleCode'], equal: ['enableFlag'] },
  );

/** The roles of the tenant and the built-in ones, newest first. */
export const page: Operation<z.infer<typeof RoleQuery>, Paged<Role>> = (app, { tenantId }, asked) =>
  inOneTrip(app.db, tenantId, (q) => pageOf(found(q, tenantId, asked), asked.page, Role.of));

/** The roles as a forest. */
export const tree: Operation<RoleTreeQuery, Tree<Role>[]> = async (app, { tenantId }, asked) => {
  const rows = await inOneTrip(app.db, tenantId, (q) =>
    found(q, tenantId, asked).limit(MAX_TREE).execute(),
  );
  return treeOf(rows.map(Role.of), ({ parentRoleId }) => parentRoleId);
};
