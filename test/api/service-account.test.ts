import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { hashPassword } from '../../src/auth/credential/password.ts';
import { acrossTenants } from '../../src/db/tenant.ts';
import { login, request, type Session } from '../support/people/session.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const PASSWORD = testEnvironment.SVC_ADMIN_PASSWORD;

const world = startedWorld();
const stranger = prepared(() => world.tenant('other'));

const path = (name: string) => `/api/v3/auth/service_account/${name}`;
const Account = z.looseObject({ id: z.string(), principalId: z.string(), enableFlag: z.string() });
let count = 0;
const name = () => `account-${++count}`;
const add = (body: object, session = world.admin) => session.post(path('add'), body);
async function account(body: object = {}, session = world.admin) {
  const { body: answer } = await add({ serviceAccountName: name(), ...body }, session);
  return Account.parse(
    await session.data(path('get_by_id'), undefined, { id: String(answer.data) }),
  );
}
const register = (session: Session, principalId: string, change: object = {}) =>
  session.post('/api/v3/auth/mcp/client/register', {
    client_name: 'a client',
    grant_types: ['client_credentials'],
    service_account_principal_id: principalId,
    ...change,
  });

describe('200', () => {
  it('adds an account of this tenant and shows it', async () => {
    const called = name();
    const added = await add({
      serviceAccountName: called,
      purpose: 'reads',
      expireTime: '2030-01-01T00:00:00Z',
    });
    expect(added).toMatchObject({
      status: 200,
      body: { ok: true, code: 'R201', data: expect.stringMatching(/^\d+$/) },
    });
    const shown = await world.admin.data(path('get_by_id'), undefined, {
      id: String(added.body.data),
    });
    expect(shown).toMatchObject({
      id: added.body.data,
      tenantId: world.admin.tenantId,
      serviceAccountName: called,
      purpose: 'reads',
      enableFlag: 'ENABLE',
      expireTime: '2030-01-01T00:00:00.000Z',
      creatorName: 'admin',
    });
  });

  it('lists the accounts of this tenant by page and name', async () => {
    const { id } = await account({ serviceAccountName: 'find_me' });
    const found = await world.admin.data(path('list'), {
      serviceAccountName: 'D_M',
      page: { current: 1, size: 5 },
    });
    expect(found).toMatchObject({ total: 1, current: 1, size: 5, records: [{ id }] });
    expect(await stranger.data(path('list'), {})).toMatchObject({ total: 0, records: [] });
    expect(await world.admin.data(path('list'), { serviceAccountName: '%' })).toMatchObject({
      total: 0,
    });
  });

  it('disables, enables and deletes, and writes it all down', async () => {
    const { id } = await account();
    const state = async () =>
      Account.parse(await world.admin.data(path('get_by_id'), undefined, { id })).enableFlag;
    await world.admin.data(path('disable'), { id });
    expect(await state()).toBe('DISABLE');
    await world.admin.data(path('enable'), {}, { id });
    expect(await state()).toBe('ENABLE');
    await world.admin.data(path('delete'), {}, { id });
    expect((await world.admin.get(path('get_by_id'), { id })).status).toBe(404);
    const rows = await acrossTenants(world.app.db, 'doctor', (q) =>
      q
        .selectFrom('svc_identity_audit_log')
        .select(['action', 'tenantId', 'status'])
        .where('resourceType', '=', 'SERVICE_ACCOUNT')
        .where('resourceId', '=', id)
        .orderBy('id')
        .execute(),
    );
    expect(rows.map(({ action }) => action)).toEqual(['CREATE', 'DISABLE', 'ENABLE', 'DELETE']);
  });

  it('changes what is given, and ends the tokens of one that is over or switched off', async () => {
    const { id, principalId } = await account();
    const renamed = name();
    await world.admin.data(path('update'), {
      id,
      serviceAccountName: renamed,
      purpose: 'writes',
      expireTime: '2031-01-01T00:00:00Z',
    });
    const show = () => world.admin.data(path('get_by_id'), undefined, { id });
    expect(await show()).toMatchObject({
      serviceAccountName: renamed,
      purpose: 'writes',
      expireTime: '2031-01-01T00:00:00.000Z',
      enableFlag: 'ENABLE',
    });
    await world.admin.data(path('update'), { id, expireTime: null, enableFlag: 'DISABLE' });
    expect(await show()).toMatchObject({ expireTime: null, enableFlag: 'DISABLE', principalId });
    expect(
      await world.admin.data('/api/v3/auth/principal/get_by_id', undefined, { id: principalId }),
    ).toMatchObject({ principalName: renamed, enableFlag: 'DISABLE' });
    const other = await account();
    const taken = { id: other.id, serviceAccountName: renamed };
    expect((await world.admin.post(path('update'), taken)).status).toBe(409);
  });

  it('belongs to exactly one tenant, whatever is written to the table', async () => {
    const { principalId } = await account();
    await expect(
      acrossTenants(world.app.db, 'doctor', (q) =>
        q
          .insertInto('svc_tenant_membership')
          .values({ tenantId: stranger.tenantId, principalId, principalType: 'SERVICE_ACCOUNT' })
          .execute(),
      ),
    ).rejects.toThrow(/svc_service_account_single_tenant/);
  });

  it('shows the secret of a client once', async () => {
    const { principalId } = await account();
    const made = await register(world.admin, principalId);
    expect(made.body.data).toMatchObject({
      client_id: expect.stringMatching(/^svc_/),
      client_secret: expect.stringMatching(/^[\w-]{43}$/),
      token_endpoint: `${world.base}/oauth2/token`,
      token_endpoint_auth_method: 'client_secret_basic',
      scope: 'svc:read',
    });
    const { client_secret: secret } = z.object({ client_secret: z.string() }).parse(made.body.data);
    const listed = JSON.stringify(await world.admin.data('/api/v3/auth/mcp/client/list', {}));
    expect(listed).toContain(principalId);
    expect(listed).not.toContain(secret);
    expect(listed).not.toContain('enc:v1');
    expect(await stranger.data('/api/v3/auth/mcp/client/list', {})).toEqual([]);
  });
});

describe('401', () => {
  it('does not let a service account log in, even with a credential', async () => {
    const { principalId } = await account();
    const stored = await hashPassword(PASSWORD);
    await acrossTenants(world.app.db, 'doctor', (q) =>
      q
        .insertInto('svc_local_credential')
        .values({
          principalId,
          loginName: 'robot',
          loginNameNormalized: 'robot',
          requirePasswordChange: 0,
          ...stored,
        })
        .execute(),
    );
    const answer = await request(world.base, 'POST', '/api/v3/auth/token/generate', {
      body: { tenant: 'default', name: 'robot', salt: 'x', password: PASSWORD },
    });
    expect([answer.status, answer.body.code]).toEqual([401, 'R401']);
  });
});

describe('403', () => {
  it('lets nobody make an account that may do more than they', async () => {
    const tenant = await world.tenant('limited');
    await acrossTenants(world.app.db, 'doctor', async (q) => {
      const wanted = ['service_account:add', 'mcp:add'].map((code) => `svc-center-auth:${code}`);
      const role = await q
        .insertInto('svc_role')
        .values({ roleCode: 'account-maker', tenantId: tenant.tenantId })
        .returning('id')
        .executeTakeFirstOrThrow();
      const resources = await q
        .selectFrom('svc_resource')
        .select('id')
        .where('resourceCode', 'in', wanted)
        .execute();
      await q
        .insertInto('svc_role_resource_bind')
        .values(resources.map(({ id }) => ({ roleId: role.id, resourceId: id })))
        .execute();
    });
    const { principalId } = await account({ roleCode: 'admin' }, tenant);
    await acrossTenants(world.app.db, 'doctor', async (q) => {
      const role = await q
        .selectFrom('svc_role')
        .select('id')
        .where('tenantId', '=', tenant.tenantId)
        .executeTakeFirstOrThrow();
      await q
        .updateTable('svc_role_principal_bind')
        .set({ roleId: role.id })
        .where('tenantId', '=', tenant.tenantId)
        .where('principalType', '=', 'USER')
        .execute();
    });
    world.clock.shift(300_001);
    const limited = await login(world.base, 'limited', 'limited-admin', PASSWORD);
    const make = (roleCode: string) => add({ serviceAccountName: name(), roleCode }, limited);
    expect((await make('admin')).status).toBe(403);
    expect((await make('agent')).status).toBe(403);
    expect((await make('account-maker')).status).toBe(200);
    expect((await register(limited, principalId)).status).toBe(403);
    expect((await limited.post(path('list'), {})).status).toBe(403);
  });
});

describe('404', () => {
  it('answers for another tenant’s account as for a missing one', async () => {
    const { id, principalId } = await account();
    const answers = async (given: string) => [
      await stranger.get(path('get_by_id'), { id: given }),
      await stranger.post(path('enable'), { id: given }),
      await stranger.post(path('disable'), { id: given }),
      await stranger.post(path('delete'), { id: given }),
    ];
    const plain = (list: { status: number; body: unknown }[]) =>
      list.map(({ status, body }) => ({ status, body }));
    const missing = plain(await answers('999999'));
    expect(missing.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(plain(await answers(id))).toEqual(missing);
    expect((await register(stranger, principalId)).status).toBe(404);
    expect((await stranger.post('/api/v3/auth/mcp/client/delete', { id: '1' })).status).toBe(404);
  });
});

describe('4xx', () => {
  it('refuses a name that is taken in this tenant, not in another', async () => {
    const called = name();
    await add({ serviceAccountName: called });
    expect((await add({ serviceAccountName: called })).status).toBe(409);
    expect((await add({ serviceAccountName: called }, stranger)).status).toBe(200);
  });

  it('refuses to delete an account that a client uses', async () => {
    const { id, principalId } = await account();
    await register(world.admin, principalId);
    const { status, body } = await world.admin.post(path('delete'), { id });
    expect([status, body.message]).toEqual([409, 'The OAuth client “a client” uses this account']);
  });

  it('refuses what it cannot mean', async () => {
    expect((await add({ serviceAccountName: name(), roleCode: 'nothing' })).status).toBe(422);
    const { principalId } = await account();
    const bad = [
      await add({}),
      await add({ serviceAccountName: 'a\0b' }),
      await add({ serviceAccountName: name(), expireTime: 'soon' }),
      await add({ serviceAccountName: name(), expireTime: '0000-99-99T00:00:00Z' }),
      await world.admin.get(path('get_by_id'), { id: 'x' }),
      await world.admin.get(path('get_by_id'), { id: '99999999999999999999' }),
      await register(world.admin, principalId, { scope: 'svc:everything' }),
      await register(world.admin, principalId, { scope: '' }),
      await register(world.admin, principalId, { grant_types: ['authorization_code'] }),
      await register(world.admin, principalId, { grant_types: [] }),
    ];
    expect(bad.map(({ status }) => status)).toEqual(bad.map(() => 400));
  });
});
