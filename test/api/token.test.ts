import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { acrossTenants } from '../../src/db/tenant.ts';
import { login } from '../support/people/session.ts';
import { Claims, decoded, nameOf, stillIn, tokensOf } from '../support/people/token.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { startedWorld } from '../support/world/prepared.ts';

const PASSWORD = testEnvironment.SVC_ADMIN_PASSWORD;
const HOUR_MS = 3_600_000;

const world = startedWorld();

const { call, generate, newcomer } = tokensOf(() => world);

describe('200', () => {
  it('answers a random salt for a tenant that exists', async () => {
    const body = { tenant: 'default', name: 'whoever' };
    const [one, two] = [await call('salt', body), await call('salt', body)];
    expect(one.body).toMatchObject({
      ok: true,
      code: 'R200',
      data: expect.stringMatching(/^[\da-f-]{36}$/),
    });
    expect(one.body.data).not.toBe(two.body.data);
  });

  it('answers salts however many ask at once', async () => {
    const body = { tenant: 'default', name: 'whoever' };
    const answers = await Promise.all(Array.from({ length: 150 }, () => call('salt', body)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('answers a JWT that binds tenant and principal for 12 hours', async () => {
    const { status, body } = await generate();
    expect(status).toBe(200);
    const [header, payload] = String(body.data).split('.');
    expect(decoded(header)).toEqual({ alg: 'HS256', typ: 'svc-login+jwt' });
    const claims = Claims.parse(decoded(payload));
    expect(claims.tenant_id).toBe(world.admin.tenantId);
    expect(claims.exp).toBe(Math.floor((claims.iat + 12 * HOUR_MS) / 1_000));
    expect(JSON.stringify(claims)).not.toContain('admin');
  });

  it('finds the login trimmed and in any case', async () => {
    expect((await generate({ name: ' ADMIN ' })).status).toBe(200);
  });

  it('lets a successful login through however often it comes', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => generate()));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
  });

  it('says whether a token works', async () => {
    const session = await newcomer();
    const { salt, token } = z
      .object({ salt: z.string(), token: z.string() })
      .parse(JSON.parse(String(session.headers['x-auth-token'])));
    const mine = { tenant: session.tenant, name: nameOf(session), salt };
    const check = (body: object) => session.data('/api/v3/auth/token/check', body);
    expect(await check({ ...mine, token })).toBe(true);
    expect(await check({ ...mine, token: `${token}x` })).toBe(false);
    expect(await check({ ...mine, name: 'admin', token })).toBe(false);
    const stranger = await newcomer();
    expect(await stranger.data('/api/v3/auth/token/check', { ...mine, token })).toBe(false);
  });

  it('demands a new password before it gives a token', async () => {
    const session = await newcomer();
    const name = nameOf(session);
    await acrossTenants(world.app.db, 'doctor', (q) =>
      q
        .updateTable('svc_local_credential')
        .set({ requirePasswordChange: 1 })
        .where('loginName', '=', name)
        .execute(),
    );
    const mine = { tenant: session.tenant, name };
    expect((await generate(mine)).body).toEqual({
      ok: false,
      code: 'R4031',
      message: 'Password change required',
    });
    const change = await call('change_password', {
      ...mine,
      password: PASSWORD,
      newPassword: 'another horse 42',
    });
    expect(change.body).toMatchObject({ ok: true, data: true });
    expect((await generate(mine)).status).toBe(401);
    await login(world.base, session.tenant, name, 'another horse 42');
  });

  it('demands a new password when the old one has expired', async () => {
    const session = await newcomer();
    await acrossTenants(world.app.db, 'doctor', (q) =>
      q
        .updateTable('svc_local_credential')
        .set({ passwordExpireTime: new Date(world.clock.now()) })
        .where('loginName', '=', nameOf(session))
        .execute(),
    );
    const mine = { tenant: session.tenant, name: nameOf(session) };
    expect((await generate(mine)).body).toMatchObject({ ok: false, code: 'R4032' });
    await call('change_password', { ...mine, password: PASSWORD, newPassword: 'another horse 42' });
    await login(world.base, session.tenant, nameOf(session), 'another horse 42');
  });

  it('ends earlier logins when the password is changed', async () => {
    const session = await newcomer();
    await call('change_password', {
      tenant: session.tenant,
      name: nameOf(session),
      password: PASSWORD,
      newPassword: 'another horse 42',
    });
    expect(await stillIn(session)).toBe(401);
  });
});

describe('4xx', () => {
  it('slows down guessing, for names that exist and names that do not', async () => {
    const session = await newcomer();
    for (const name of [nameOf(session), 'nobody-at-all']) {
      const mine = { tenant: session.tenant, name, password: 'wrong' };
      const failed = await Promise.all(Array.from({ length: 8 }, () => generate(mine)));
      const statuses = failed.map(({ status }) => status);
      expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
      expect(Number(failed[7]?.headers.get('retry-after'))).toBe(60);
    }
    const right = { tenant: session.tenant, name: nameOf(session) };
    expect((await generate(right)).status).toBe(429);
    const change = { ...right, password: PASSWORD, newPassword: 'another horse 42' };
    expect((await call('change_password', change)).status).toBe(429);
    world.clock.shift(60_000);
    expect((await generate(right)).status).toBe(200);
    expect((await generate(right)).status).toBe(200);
  });

  it('slows down probing for tenants, and nobody else', async () => {
    const probe = { tenant: 'nowhere-3', name: 'admin' };
    const statuses = [];
    for (let i = 0; i < 6; i += 1) statuses.push((await call('salt', probe)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    expect((await generate()).status).toBe(200);
  });

  it('refuses bad new passwords with a reason', async () => {
    const session = await newcomer();
    const change = (newPassword: unknown, password: unknown = PASSWORD) =>
      call('change_password', {
        tenant: session.tenant,
        name: nameOf(session),
        password,
        newPassword,
      });
    for (const bad of ['short', PASSWORD, 'Password123', 'x'.repeat(1_025), 'ü'.repeat(513)]) {
      const { status, body } = await change(bad);
      expect([status, body.code], bad).toEqual([422, 'R422']);
      expect(body.message).toMatch(/^The new password/);
    }
    expect((await change('another horse 42', 'wrong')).status).toBe(401);
    expect((await change(undefined)).status).toBe(400);
  });

  it('refuses input that is not text, too long or hostile, and never fails', async () => {
    const bad: Record<string, unknown>[] = [
      { tenant: 1 },
      { tenant: null },
      { name: ['admin'] },
      { name: "admin' or 1=1 --" },
      { name: 'admin\0' },
      { tenant: 'x'.repeat(100) },
      { password: { a: 1 } },
      { password: 'x'.repeat(1_025) },
      { salt: 5 },
      { salt: 'a\0b' },
    ];
    for (const change of bad) {
      const { status } = await generate(change);
      expect(status, JSON.stringify(change)).toBe(400);
    }
    expect((await generate({ password: 'a\0b', name: 'nobody-2' })).status).toBe(401);
    expect((await generate({ password: 'ü'.repeat(1_000), name: 'nobody-3' })).status).toBe(401);
  });

  it('answers 404 for another tenant, and 403 without the permission', async () => {
    const session = await newcomer();
    const stranger = await newcomer();
    const of = (id: string) => session.get('/api/v3/auth/tenant/get_by_id', { id });
    expect(await of(stranger.tenantId)).toMatchObject(
      await of('999999').then(({ status, body }) => ({ status, body })),
    );
    const profile = (name: string) =>
      session.get('/api/v3/auth/user_profile/get_by_name', { name });
    expect((await profile(nameOf(stranger))).status).toBe(404);
    expect((await profile(nameOf(session))).body.data).toMatchObject({ enableFlag: 'ENABLE' });
    await acrossTenants(world.app.db, 'doctor', (q) =>
      q.deleteFrom('svc_role_principal_bind').where('tenantId', '=', session.tenantId).execute(),
    );
    expect((await of(session.tenantId)).status).toBe(403);
  });
});
