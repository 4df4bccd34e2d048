import { afterEach, describe, expect, it } from 'vitest';

import { cancel } from '../../src/auth/credential/denylist.ts';
import { authenticateLogin, generate } from '../../src/auth/login/login.ts';
import { loadCodes } from '../../src/auth/permission/permission.ts';
import { addTenant, firstPassword, registerResources, seed } from '../../src/auth/seed.ts';
import { acrossTenants, inTenant } from '../../src/db/tenant.ts';
import type { App, Caller } from '../../src/kernel/app/app.ts';
import { createApp } from '../../src/start/platform.ts';
import { readSettings } from '../../src/start/settings.ts';
import { freshDatabase, type FreshDatabase } from '../support/world/database.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { otherNode } from '../support/world/other-node.ts';
import { ShiftedClock } from '../support/world/shifted-clock.ts';

const PASSWORD = testEnvironment.SVC_ADMIN_PASSWORD;
const nobody: Caller = {
  tenantId: '0',
  principalId: '0',
  principalType: 'SYSTEM',
  name: 'anonymous',
  via: 'system',
  permissions: new Set(),
};

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

async function open(data: FreshDatabase, environment: Record<string, string> = {}): Promise<App> {
  const config = readSettings({ ...testEnvironment, ...data.environment, ...environment });
  const app = await createApp(config, { clock: new ShiftedClock() });
  stops.push(() => app.db.close());
  return app;
}
/** Before its first start, except for the migrations. */
async function migrated(environment: Record<string, string> = {}): Promise<App> {
  const data = await freshDatabase('migrated');
  stops.push(() => data.remove());
  return open(data, environment);
}
/** After a start, which binds the roles to their permissions. */
async function seeded(): Promise<App> {
  const data = await freshDatabase();
  stops.push(() => data.remove());
  return open(data);
}
const ask = (app: App, password: string, name = 'admin') =>
  generate(app, nobody, { tenant: 'default', name, salt: 'salt', password });
const credential = (app: App) =>
  acrossTenants(app.db, 'doctor', (q) =>
    q
      .selectFrom('svc_local_credential')
      .select(['passwordHash', 'passwordAlgorithm', 'requirePasswordChange'])
      .executeTakeFirstOrThrow(),
  );

describe('the first start', () => {
  it('makes an admin whose generated password must be changed first', async () => {
    const app = await migrated({ SVC_ADMIN_PASSWORD: '', SVC_ADMIN_LOGIN: 'chief' });
    const first = await seed(app);
    expect(first).toEqual({ login: 'chief', generatedPassword: expect.stringMatching(/^\S{16}$/) });
    await expect(ask(app, first?.generatedPassword ?? '', 'chief')).rejects.toMatchObject({
      code: 'R4031',
    });
  });

  it('makes an admin with the given password that may log in at once', async () => {
    const app = await migrated();
    expect(await seed(app)).toEqual({ login: 'admin', generatedPassword: null });
    expect(await credential(app)).toMatchObject({
      passwordHash: expect.stringMatching(/^\$2b\$12\$/),
      passwordAlgorithm: 'BCRYPT',
      requirePasswordChange: 0,
    });
    const token = { salt: 'salt', token: await ask(app, PASSWORD) };
    const caller = await authenticateLogin(app, { tenant: 'default', login: 'admin', token });
    expect([...caller.permissions]).toEqual(['*']);
  });

  it('takes the password that was prepared while the database was made', async () => {
    const app = await migrated({ SVC_ADMIN_PASSWORD: '' });
    const prepared = firstPassword(app.config.admin);
    const first = { login: 'admin', generatedPassword: prepared.plain };
    expect(await seed(app, prepared)).toEqual(first);
    expect((await credential(app)).passwordHash).toBe((await prepared.stored).passwordHash);
  });

  it.each([
    'password',
    'aaaaaaaa',
    '        ',
    'Password123!',
    'Summer2026',
    'admin123',
    'default-1',
    'qwertyuiop',
  ])('is refused with the password %j, which is tried first', async (SVC_ADMIN_PASSWORD) => {
    const app = await migrated({ SVC_ADMIN_PASSWORD });
    await expect(seed(app)).rejects.toThrow(/SVC_ADMIN_PASSWORD is not usable: The new password/);
    expect(
      await acrossTenants(app.db, 'doctor', (q) =>
        q.selectFrom('svc_tenant').select('id').execute(),
      ),
    ).toEqual([]);
  });

  it('happens once, also when two start together', async () => {
    const app = await migrated();
    const made = await Promise.all([seed(app), seed(otherNode(app)), seed(otherNode(app))]);
    expect(made.filter((result) => result !== null)).toHaveLength(1);
    expect(await seed(app)).toBeNull();
    const { count } = await acrossTenants(app.db, 'doctor', (q) =>
      q
        .selectFrom('svc_tenant')
        .select((row) => row.fn.countAll<string>().as('count'))
        .executeTakeFirstOrThrow(),
    );
    expect(Number(count)).toBe(1);
  });
});

describe('the first login', () => {
  it('moves a BCRYPT hash to Argon2id, and the password stays', async () => {
    const app = await migrated();
    await seed(app);
    await expect(ask(app, 'wrong')).rejects.toMatchObject({ status: 401 });
    expect((await credential(app)).passwordAlgorithm).toBe('BCRYPT');
    await ask(app, PASSWORD);
    const { passwordHash, passwordAlgorithm } = await credential(app);
    expect(passwordAlgorithm).toBe('ARGON2ID');
    expect(passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,(t=2,p=1|p=1,t=2)\$/);
    await ask(app, PASSWORD);
    await expect(ask(app, 'wrong')).rejects.toMatchObject({ status: 401 });
  });
});

describe('a logout', () => {
  it('still holds after a restart', async () => {
    const data = await freshDatabase();
    stops.push(() => data.remove());
    const headers = async (app: App) => {
      const token = { salt: 'salt', token: await ask(app, PASSWORD) };
      return { tenant: 'default', login: 'admin', token };
    };
    const before = await open(data);
    const earlier = await headers(before);
    await cancel(before, await authenticateLogin(before, earlier));
    const later = await headers(before);
    await stops.pop()?.();
    const after = await open(data);
    await expect(authenticateLogin(after, earlier)).rejects.toMatchObject({ status: 401 });
    expect((await authenticateLogin(after, later)).name).toBe('admin');
  });
});

describe('roles and their permissions', () => {
  const LIST = 'svc-center-manager:device:list';
  const CONFIRM = 'svc-center-agentic:action:confirm';

  it('are bound at every start, and what an earlier version gave is taken away', async () => {
    const app = await migrated();
    await seed(app);
    const codesOf = (role: string) =>
      acrossTenants(app.db, 'doctor', (q) =>
        q
          .selectFrom('svc_role_resource_bind as bind')
          .innerJoin('svc_role as role', 'role.id', 'bind.roleId')
          .innerJoin('svc_resource as resource', 'resource.id', 'bind.resourceId')
          .select(['resource.resourceCode', 'resource.id', 'role.id as roleId'])
          .where('role.roleCode', '=', role)
          .orderBy('resource.resourceCode')
          .execute(),
      );
    const names = async (role: string) => (await codesOf(role)).map((row) => row.resourceCode);
    await Promise.all([
      registerResources(app, [LIST, CONFIRM]),
      registerResources(app, [CONFIRM, LIST]),
    ]);
    expect(await names('agent')).toEqual([LIST]);
    expect(await names('operator')).toEqual([CONFIRM, LIST]);
    expect(await names('admin')).toEqual(['*']);
    const confirm = (await codesOf('operator')).find((row) => row.resourceCode === CONFIRM);
    const agent = (await codesOf('agent'))[0];
    await acrossTenants(app.db, 'doctor', (q) =>
      q
        .insertInto('svc_role_resource_bind')
        .values({ roleId: agent?.roleId ?? '0', resourceId: confirm?.id ?? '0' })
        .execute(),
    );
    await registerResources(app, [LIST, CONFIRM]);
    expect(await names('agent')).toEqual([LIST]);
  });

  it('count in the tenant they were given in, and only enabled ones', async () => {
    const app = await seeded();
    const [one, two] = [
      await addTenant(app, {
        code: 'one',
        name: 'One',
        admin: { login: 'one-admin', password: PASSWORD },
      }),
      await addTenant(app, {
        code: 'two',
        name: 'Two',
        admin: { login: 'two-admin', password: PASSWORD },
      }),
    ];
    const codesOf = (tenantId: string, principalId: string) =>
      inTenant(app.db, tenantId, (q) => loadCodes(q, tenantId, principalId));
    expect(await codesOf(one.tenantId, one.principalId)).toEqual(new Set(['*']));
    expect(await codesOf(two.tenantId, one.principalId)).toEqual(new Set());
    await acrossTenants(app.db, 'doctor', (q) =>
      q
        .updateTable('svc_resource')
        .set({ enableFlag: 1 })
        .where('resourceCode', '=', '*')
        .execute(),
    );
    expect(await codesOf(one.tenantId, one.principalId)).toEqual(new Set());
  });

  it('refuse a tenant whose code is taken; its first login may be named as one of another', async () => {
    const app = await seeded();
    const admin = { login: 'somebody', password: PASSWORD };
    await addTenant(app, { code: 'one', name: 'One', admin });
    const again = { code: 'one', name: 'One', admin: { ...admin, login: 'another' } };
    await expect(addTenant(app, again)).rejects.toMatchObject({
      status: 409,
      message: 'The tenant code is taken',
    });
    const { tenantId } = await addTenant(app, {
      code: 'two',
      name: 'Two',
      admin: { ...admin, login: 'SomeBody' },
    });
    expect(tenantId).toMatch(/^\d+$/);
  });

  it('refuse an admin whose password is the name of the tenant with a number', async () => {
    const app = await seeded();
    const admin = { login: 'chief', password: 'NorthPlant-26' };
    const adding = addTenant(app, { code: 'north-plant', name: 'North', admin });
    await expect(adding).rejects.toMatchObject({ status: 422 });
  });
});
