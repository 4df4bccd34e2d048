import { createHmac } from 'node:crypto';

import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { acrossTenants } from '../../../src/db/tenant.ts';
import { onboard } from '../../support/devices/plant.ts';
import { request, type Session } from '../../support/people/session.ts';
import { startWorld, type World } from '../../support/world/app.ts';
import { testEnvironment } from '../../support/world/environment.ts';

const LIST = '/api/v3/manager/device/list';

/** docs/specification/trust.md and docs/specification/authorization.md, from outside the gateway. */
describe.each([
  ['signed', testEnvironment.AUTH_HMAC_SECRET],
  ['unsigned', ''],
])('a gateway with %s principals', (_name, secret) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ environment: { AUTH_HMAC_SECRET: secret } });
  });
  afterAll(() => world?.stop());

  const forged = (): Record<string, string> => {
    const now = world.clock.now();
    const principal = JSON.stringify({
      principalId: '1',
      principalType: 'USER',
      displayName: 'admin',
      principalName: 'admin',
      tenantId: world.admin.tenantId,
      via: 'login',
      iat: now,
      exp: now + 30_000,
      aud: 'svc-center',
      jti: 'x',
    });
    const sign = createHmac('sha256', secret || 'anything')
      .update(principal)
      .digest('hex');
    return { 'x-auth-principal': principal, 'x-auth-sign': sign };
  };

  it('never believes a principal that came from outside, however well it is signed', async () => {
    const { status, body } = await request(world.base, 'POST', LIST, {
      body: {},
      headers: forged(),
    });
    expect([status, body.ok, body.code]).toEqual([401, false, 'R401']);
  });

  it('answers the login it resolved, whatever principal came along', async () => {
    const other = await world.tenant('own');
    const tenant = { id: other.tenantId };
    const { body } = await request(world.base, 'GET', '/api/v3/auth/tenant/get_by_id', {
      query: tenant,
      headers: { ...other.headers, ...forged() },
    });
    expect(body.data).toMatchObject({ id: other.tenantId, tenantCode: 'own' });
  });

  it.each(['x-auth-tenant', 'x-auth-login', 'x-auth-token'])(
    'answers 401 without the header %s',
    async (name) => {
      const { [name]: _, ...headers } = world.admin.headers;
      expect((await request(world.base, 'POST', LIST, { body: {}, headers })).status).toBe(401);
    },
  );
});

describe('the permission of a call', () => {
  let world: World;
  let session: Session;
  beforeAll(async () => {
    world = await startWorld();
    session = await world.tenant('rbac');
    await onboard(session);
  });
  afterAll(() => world?.stop());

  const run = (statement: ReturnType<typeof sql>) =>
    acrossTenants(world.app.db, 'doctor', (q) => statement.execute(q));
  const list = async () => (await session.post(LIST, {})).status;

  it('is remembered for five minutes at the longest, and a change acts at once', async () => {
    const { queries } = world.app.db;
    let loads = 0;
    world.app.db.queries = queries.withPlugin({
      transformQuery({ node }) {
        if (JSON.stringify(node).includes('svc_role_principal_bind')) loads += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const loadsOf = async (ms: number) => {
      world.clock.shift(ms);
      loads = 0;
      expect(await list()).toBe(200);
      return loads;
    };
    expect([await loadsOf(300_001), await loadsOf(299_000), await loadsOf(1_001)]).toEqual([
      1, 0, 1,
    ]);
    world.app.db.queries = queries;
    await run(sql`delete from svc_role_principal_bind where tenant_id = ${session.tenantId}`);
    expect(await list()).toBe(403);
  });

  it('comes from a role: exactly the bound codes are allowed, in that tenant', async () => {
    await run(sql`insert into svc_role (tenant_id, role_name, role_code)
      values (${session.tenantId}, 'lister', 'lister')`);
    await run(sql`insert into svc_role_resource_bind (role_id, resource_id)
      select r.id, s.id from svc_role r, svc_resource s where r.role_code = 'lister'
        and r.tenant_id = ${session.tenantId} and s.resource_code = 'svc-center-manager:device:list'`);
    await run(sql`insert into svc_role_principal_bind (tenant_id, role_id, principal_id)
      select ${session.tenantId}, r.id, c.principal_id from svc_role r, svc_local_credential c
        where r.role_code = 'lister' and r.tenant_id = ${session.tenantId} and c.login_name = 'rbac-admin'`);
    expect(await list()).toBe(200);
    const refused = await session.post('/api/v3/manager/device/add', {});
    expect([refused.status, refused.body.code]).toEqual([403, 'R403']);
  });

  it('ends with a role that is disabled, and comes back with it, at once', async () => {
    const enable = (flag: number) =>
      run(sql`update svc_role set enable_flag = ${flag}
        where role_code = 'lister' and tenant_id = ${session.tenantId}`);
    await enable(1);
    expect(await list()).toBe(403);
    await enable(0);
    expect(await list()).toBe(200);
  });

  it('is 403 for everything while permissions cannot be loaded, and comes back at once', async () => {
    world.clock.shift(300_001);
    const { queries } = world.app.db;
    world.app.db.queries = queries.withPlugin({
      transformQuery({ node }) {
        if (JSON.stringify(node).includes('svc_role_principal_bind')) throw new Error('gone');
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    expect(await list()).toBe(403);
    world.app.db.queries = queries;
    // The failure was not cached.
    expect(await list()).toBe(200);
  });
});
