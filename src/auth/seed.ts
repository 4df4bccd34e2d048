import { randomBytes } from 'node:crypto';

import { sql } from 'kysely';

import type { Queries } from '../db/connect.ts';
import { conflictIfTaken } from '../db/taken.ts';
import { acrossTenants } from '../db/tenant.ts';
import type { App } from '../kernel/app/app.ts';
import { Unprocessable } from '../kernel/errors.ts';
import { type Config, ConfigError } from '../kernel/process/config.ts';
import {
  demandGoodPassword,
  hashPassword,
  hashSeededPassword,
  type StoredPassword,
} from './credential/password.ts';
import { insertUser } from './people/account.ts';
import { bindBuiltInRoles } from './permission/built-in-role.ts';
import { WILDCARD } from './permission/permission.ts';
import { DEFAULT_TENANT } from './permission/platform.ts';

export { registerResources } from './permission/built-in-role.ts';

/** Any fixed number: serializes the seeding of processes that start together. */
const ADVISORY_LOCK = 7_317_002;

/** The password of the first admin: the configured one or, when none is, a generated one. */
export type FirstPassword = {
  plain: string;
  isGenerated: boolean;
  stored: Promise<StoredPassword>;
};

/** Begins to hash it, which takes another thread half a second; ConfigError for one that is easily guessed. */
export function firstPassword({ login, password }: Config['admin']): FirstPassword {
  if (password !== null) demandGoodSeed(login, password);
  const plain = password ?? randomBytes(12).toString('base64url');
  const stored = hashSeededPassword(plain);
  // A start that fails meanwhile has no use for it.
  stored.catch(() => {});
  return { plain, isGenerated: password === null, stored };
}

function demandGoodSeed(login: string, password: string): void {
  try {
    demandGoodPassword(password, { names: [login, DEFAULT_TENANT] });
  } catch (error) {
    if (!(error instanceof Unprocessable)) throw error;
    throw new ConfigError(`SVC_ADMIN_PASSWORD is not usable: ${error.message}`);
  }
}

/**
 * Seeds the tenant `default`, the built-in roles and an admin with `*` at the first start; null when they
 * exist. A generated password is returned only here and must be changed at the first login; a configured
 * one need not. `prepared` is what a start on a new database began earlier.
 */
export async function seed(
  app: App,
  prepared?: FirstPassword,
): Promise<{ login: string; generatedPassword: string | null } | null> {
  const { login } = app.config.admin;
  if (await acrossTenants(app.db, 'seed', isSeeded)) return null;
  const { plain, isGenerated, stored } = prepared ?? firstPassword(app.config.admin);
  const password = await stored;
  const isFirst = await acrossTenants(app.db, 'seed', async (q) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(ADVISORY_LOCK)})`.execute(q);
    if (await isSeeded(q)) return false;
    await bindBuiltInRoles(q, [WILDCARD]);
    const tenantId = await insertTenant(app, q, DEFAULT_TENANT, 'Default');
    await insertUser(app, q, {
      tenantId,
      login,
      password,
      mustChangePassword: isGenerated,
      roleCode: 'admin',
    });
    return true;
  });
  return isFirst ? { login, generatedPassword: isGenerated ? plain : null } : null;
}

async function isSeeded(q: Queries): Promise<boolean> {
  const tenant = await q
    .selectFrom('svc_tenant')
    .select('id')
    .where('tenantCode', '=', DEFAULT_TENANT)
    .executeTakeFirst();
  return tenant !== undefined;
}

export type NewTenant = { code: string; name: string; admin: { login: string; password: string } };

/** Adds a tenant with an admin that can log in at once; Conflict (409) for a taken code, 422 for a bad password. */
export async function addTenant(
  app: App,
  { code, name, admin }: NewTenant,
): Promise<{ tenantId: string; principalId: string }> {
  demandGoodPassword(admin.password, { names: [admin.login, code, name] });
  const password = await hashPassword(admin.password);
  const adding = acrossTenants(app.db, 'account', async (q) => {
    const tenantId = await insertTenant(app, q, code, name);
    const principalId = await insertUser(app, q, {
      tenantId,
      login: admin.login,
      password,
      mustChangePassword: false,
      roleCode: 'admin',
    });
    return { tenantId, principalId };
  });
  return conflictIfTaken('tenant', adding, 'The tenant code is taken');
}

async function insertTenant(app: App, q: Queries, code: string, name: string): Promise<string> {
  const now = new Date(app.clock.now());
  const { id } = await q
    .insertInto('svc_tenant')
    .values({ tenantCode: code, tenantName: name, createTime: now, operateTime: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
