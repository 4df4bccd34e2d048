import { describe, expect, it } from 'vitest';

import { loginFailuresWritten } from '../../src/auth/login/failure.ts';
import { authenticateLogin } from '../../src/auth/login/login.ts';
import { acrossTenants } from '../../src/db/tenant.ts';
import { login, request } from '../support/people/session.ts';
import { Claims, decoded, nameOf, stillIn, tokensOf } from '../support/people/token.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { otherNode } from '../support/world/other-node.ts';
import { startedWorld } from '../support/world/prepared.ts';

const PASSWORD = testEnvironment.SVC_ADMIN_PASSWORD;
const HOUR_MS = 3_600_000;

const world = startedWorld();

const { call, generate, newcomer } = tokensOf(() => world);

describe('401', () => {
  it('answers every failed check alike', async () => {
    const stranger = await newcomer();
    const causes = [
      { tenant: 'nowhere' },
      { name: 'nobody-1' },
      { name: nameOf(stranger) },
      { salt: '' },
      { salt: ' ' },
      { salt: undefined },
      { salt: 'x'.repeat(65) },
      { name: 'admin', password: 'wrong' },
    ];
    const answers = [];
    for (const cause of causes) answers.push(await generate(cause));
    for (const { status, body } of answers) {
      expect({ status, body }).toEqual({
        status: 401,
        body: { ok: false, code: 'R401', message: 'Tenant, login or password is wrong' },
      });
    }
    await generate(); // a success forgets the failures
  });

  it('answers a salt for an unknown tenant with the same error', async () => {
    const { status, body } = await call('salt', { tenant: 'nowhere-2', name: 'admin' });
    expect([status, body]).toEqual([
      401,
      { ok: false, code: 'R401', message: 'Tenant, login or password is wrong' },
    ]);
  });

  it('refuses a disabled tenant', async () => {
    const session = await newcomer();
    await acrossTenants(world.app.db, 'doctor', (q) =>
      q
        .updateTable('svc_tenant')
        .set({ enableFlag: 1 })
        .where('id', '=', session.tenantId)
        .execute(),
    );
    world.clock.shift(1_001);
    expect(await stillIn(session)).toBe(401);
    const mine = { tenant: session.tenant, name: nameOf(session) };
    expect((await generate(mine)).status).toBe(401);
    expect((await call('salt', mine)).status).toBe(401);
  });

  it('records failures at the credential and forgets them at the next login', async () => {
    const session = await newcomer();
    const mine = { tenant: session.tenant, name: nameOf(session) };
    const failures = async () => {
      await loginFailuresWritten(world.app);
      return acrossTenants(world.app.db, 'doctor', (q) =>
        q
          .selectFrom('svc_local_credential')
          .select(['failedAttempts', 'lastFailedTime'])
          .where('loginName', '=', nameOf(session))
          .executeTakeFirstOrThrow(),
      );
    };
    await generate({ ...mine, password: 'wrong' });
    await generate({ ...mine, password: 'wrong', salt: '' });
    expect(await failures()).toEqual({ failedAttempts: 1, lastFailedTime: expect.any(Date) });
    await generate(mine);
    expect((await failures()).failedAttempts).toBe(0);
  });

  it('refuses a token after 12 hours', async () => {
    const session = await newcomer();
    world.clock.shift(12 * HOUR_MS - 30_000);
    expect(await stillIn(session)).toBe(200);
    world.clock.shift(30_000);
    expect(await stillIn(session)).toBe(401);
  });

  it('refuses headers that do not fit the token', async () => {
    const session = await newcomer();
    const stranger = await newcomer();
    const { salt, token } = JSON.parse(String(session.headers['x-auth-token']));
    const [header, payload, signature] = String(token).split('.');
    const none = Buffer.from('{"alg":"none","typ":"svc-login+jwt"}').toString('base64url');
    const claims = Claims.parse(decoded(payload));
    const other = Buffer.from(JSON.stringify({ ...claims, principal_id: '1' })).toString(
      'base64url',
    );
    const variants: Record<string, string>[] = [
      { 'x-auth-tenant': stranger.tenant },
      { 'x-auth-login': nameOf(stranger) },
      { 'x-auth-login': 'admin' },
      { 'x-auth-token': JSON.stringify({ salt: `${salt}x`, token }) },
      { 'x-auth-token': JSON.stringify({ salt: '', token }) },
      { 'x-auth-token': JSON.stringify({ salt, token: `${header}.${other}.${signature}` }) },
      { 'x-auth-token': JSON.stringify({ salt, token: `${none}.${payload}.` }) },
      { 'x-auth-token': JSON.stringify({ salt, token: `${none}.${payload}.${signature}` }) },
      { 'x-auth-token': JSON.stringify({ salt, token: `${token}.x` }) },
      { 'x-auth-token': JSON.stringify({ salt, token: `${token}!` }) },
      { 'x-auth-token': JSON.stringify({ salt, token: `${token}=` }) },
      { 'x-auth-token': '{"salt":1}' },
      { 'x-auth-token': 'nonsense' },
    ];
    for (const variant of variants) {
      const { status } = await request(world.base, 'GET', '/api/v3/auth/tenant/get_by_id', {
        query: { id: session.tenantId },
        headers: { ...session.headers, ...variant },
      });
      expect(status, JSON.stringify(variant)).toBe(401);
    }
    expect(await stillIn(session)).toBe(200);
  });

  it('acts at once when principal, membership or credential is taken away', async () => {
    const changes = [
      (principalId: string) =>
        acrossTenants(world.app.db, 'doctor', (q) =>
          q
            .updateTable('svc_principal')
            .set({ enableFlag: 1 })
            .where('id', '=', principalId)
            .execute(),
        ),
      (principalId: string) =>
        acrossTenants(world.app.db, 'doctor', (q) =>
          q
            .updateTable('svc_tenant_membership')
            .set({ membershipStatus: 'SUSPENDED' })
            .where('principalId', '=', principalId)
            .execute(),
        ),
      (principalId: string) =>
        acrossTenants(world.app.db, 'doctor', (q) =>
          q
            .updateTable('svc_local_credential')
            .set({ enableFlag: 1 })
            .where('principalId', '=', principalId)
            .execute(),
        ),
    ];
    for (const change of changes) {
      const session = await newcomer();
      expect(await stillIn(session)).toBe(200);
      const { token } = JSON.parse(String(session.headers['x-auth-token']));
      await change(Claims.parse(decoded(String(token).split('.')[1])).principal_id);
      expect(await stillIn(session)).toBe(401);
    }
  });
});

describe('a protected call', () => {
  const ask = (headers: Record<string, string>) =>
    request(world.base, 'GET', '/api/v3/auth/tenant/get_by_id', {
      query: { id: world.admin.tenantId },
      headers,
    });

  it('without a header of the login is told which one', async () => {
    for (const [header, name] of [
      ['x-auth-tenant', 'X-Auth-Tenant'],
      ['x-auth-login', 'X-Auth-Login'],
      ['x-auth-token', 'X-Auth-Token'],
    ] as const) {
      const { [header]: _missing, ...others } = world.admin.headers;
      const { status, body } = await ask(others);
      expect({ status, ...body }).toEqual({
        status: 401,
        ok: false,
        code: 'R401',
        message: `The header ${name} is missing`,
      });
    }
    const { body } = await ask({ 'x-auth-login': 'admin' });
    expect(body.message).toBe('The headers X-Auth-Tenant and X-Auth-Token are missing');
  });

  it('without any is told what it takes', async () => {
    const { status, body } = await ask({});
    expect([status, body.code, body.message]).toEqual([
      401,
      'R401',
      'The headers X-Auth-Tenant, X-Auth-Login and X-Auth-Token of a login are missing, or Authorization with a bearer token',
    ]);
  });

  it.each(['nonsense', '{"salt":1}', '{}', 'null', '"a.b.c"'])(
    'with the token %s is told what it looks like',
    async (token) => {
      const { status, body } = await ask({ ...world.admin.headers, 'x-auth-token': token });
      expect([status, body.code, body.message]).toEqual([
        401,
        'R401',
        'The header X-Auth-Token must be {"salt":"…","token":"…"}, the salt and the token of a login',
      ]);
    },
  );
});

describe('logout', () => {
  it('ends every earlier token at once and lets a later login work', async () => {
    const session = await newcomer();
    const second = await login(world.base, session.tenant, nameOf(session), PASSWORD);
    expect(await session.data('/api/v3/auth/token/cancel', {})).toBe(true);
    expect([await stillIn(session), await stillIn(second)]).toEqual([401, 401]);
    const third = await login(world.base, session.tenant, nameOf(session), PASSWORD);
    expect(await stillIn(third)).toBe(200);
  });

  it('holds for another node', async () => {
    const session = await newcomer();
    const name = nameOf(session);
    await session.data('/api/v3/auth/token/cancel', {});
    const node = otherNode(world.app);
    const token = JSON.parse(String(session.headers['x-auth-token']));
    await expect(
      authenticateLogin(node, { tenant: session.tenant, login: name, token }),
    ).rejects.toMatchObject({ status: 401 });
  });

  it('needs a login', async () => {
    expect((await call('cancel', {})).status).toBe(401);
  });
});
