import type { Queries } from '../../db/connect.ts';
import type { App } from '../../kernel/app/app.ts';
import type { StoredPassword } from '../credential/password.ts';
import { normalizeLogin } from '../login/checks.ts';
import { PLATFORM } from '../permission/permission.ts';

type NewUser = {
  tenantId: string;
  login: string;
  password: StoredPassword;
  mustChangePassword: boolean;
  roleCode: string;
};

/**
 * Inserts a user of a tenant with a login and a role, in the caller's transaction; returns the principal
 * id. A taken login raises the database's unique violation.
 */
export async function insertUser(
  app: App,
  q: Queries,
  { tenantId, login, password, mustChangePassword, roleCode }: NewUser,
): Promise<string> {
  const now = new Date(app.clock.now());
  const times = { createTime: now, operateTime: now };
  const name = normalizeLogin(login);
  const principal = await q
    .insertInto('svc_principal')
    .values({ principalType: 'USER', principalName: name, displayName: login, ...times })
    .returning('id')
    .executeTakeFirstOrThrow();
  await q
    .insertInto('svc_user')
    .values({ principalId: principal.id, userName: name, nickName: login, ...times })
    .execute();
  await q
    .insertInto('svc_local_credential')
    .values({
      principalId: principal.id,
      loginName: login,
      loginNameNormalized: name,
      ...password,
      passwordUpdatedTime: now,
      requirePasswordChange: mustChangePassword ? 1 : 0,
      ...times,
    })
    .execute();
  await join(app, q, { tenantId, principalId: principal.id, principalType: 'USER' });
  await bindRole(app, q, { tenantId, principalId: principal.id, principalType: 'USER', roleCode });
  return principal.id;
}

type Member = {
  tenantId: string;
  principalId: string;
  principalType: 'USER' | 'SERVICE_ACCOUNT';
};

/** Makes a principal a member of a tenant. */
export async function join(app: App, q: Queries, member: Member): Promise<void> {
  const now = new Date(app.clock.now());
  await q
    .insertInto('svc_tenant_membership')
    .values({ ...member, joinedTime: now, createTime: now, operateTime: now })
    .execute();
}

/** Binds the tenant's role of that code, else the built-in one; false when there is none. */
export async function bindRole(
  app: App,
  q: Queries,
  { roleCode, ...member }: Member & { roleCode: string },
): Promise<boolean> {
  const role = await findRole(q, member.tenantId, roleCode);
  if (!role) return false;
  const now = new Date(app.clock.now());
  await q
    .insertInto('svc_role_principal_bind')
    .values({ ...member, roleId: role.id, createTime: now, operateTime: now })
    .execute();
  return true;
}

/** The tenant's own role of that code, else the built-in one. */
export function findRole(q: Queries, tenantId: string, roleCode: string) {
  return q
    .selectFrom('svc_role')
    .select(['id', 'roleCode'])
    .where('tenantId', 'in', [tenantId, PLATFORM])
    .where('roleCode', '=', roleCode)
    .orderBy('tenantId', 'desc')
    .executeTakeFirst();
}
