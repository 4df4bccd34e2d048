import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { loginFailuresWritten } from '../../src/auth/login/failure.ts';
import { csvRows } from '../../src/kernel/input/csv.ts';
import { addPerson, PASSWORD, worker } from '../support/people/accounts.ts';
import { login } from '../support/people/session.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const world = startedWorld();
const tenant = prepared(() => world.tenant('here'));
const other = prepared(() => world.tenant('other'));

const Rows = z.array(
  z.looseObject({
    id: z.string(),
    createTime: z.string(),
    action: z.string().optional(),
    status: z.string(),
    principalId: z.string(),
    resourceName: z.string().optional(),
  }),
);
const list = async (filter: object, session = tenant) =>
  Rows.parse(await session.data('/api/v3/auth/identity_audit/list', filter));
const actions = (rows: z.infer<typeof Rows>) => rows.map(({ action }) => action);

describe('the identity audit log', () => {
  it('tells every change of people, logins, memberships, roles and bindings', async () => {
    const { id, principalId, credential, role, session } = await worker(tenant, [
      'svc-center-manager:device:list',
    ]);
    await tenant.data('/api/v3/auth/role/update', { id: role, roleName: 'renamed' });
    await tenant.data('/api/v3/auth/principal/disable', {}, { id: principalId });
    await tenant.data('/api/v3/auth/principal/enable', {}, { id: principalId });
    const again = await login(world.base, 'here', session.headers['x-auth-login'] ?? '', PASSWORD);
    await again.data('/api/v3/auth/token/cancel', {});
    await tenant.data('/api/v3/auth/local_credential/reset_password', {
      id: credential,
      password: 'a third password',
    });
    await tenant.data('/api/v3/auth/user_profile/delete', {}, { id });
    const of = async (resourceType: string, resourceId: string) =>
      actions(await list({ resourceType, resourceId }));
    expect(await of('USER', id)).toEqual(['DELETE', 'CREATE']);
    expect(await of('PRINCIPAL', principalId)).toEqual(['ENABLE', 'DISABLE']);
    expect(await of('ROLE', role)).toEqual(['UPDATE', 'CREATE']);
    expect(await of('LOCAL_CREDENTIAL', credential)).toEqual([
      'RESET_PASSWORD',
      'LOGIN',
      'LOGIN',
      'CHANGE_PASSWORD',
      'CREATE',
    ]);
    expect(await of('TOKEN', principalId)).toEqual(['LOGOUT']);
    expect(actions(await list({ resourceType: 'ROLE_PRINCIPAL_BIND' }))).toContain('CREATE');
    expect(actions(await list({ resourceType: 'ROLE_RESOURCE_BIND' }))).toContain('CREATE');
  });

  it('tells failed logins, without saying which people other tenants have', async () => {
    const name = 'here-admin';
    await expect(login(world.base, 'here', name, 'wrong')).rejects.toThrow('401');
    await expect(login(world.base, 'here', 'other-admin', PASSWORD)).rejects.toThrow('401');
    await expect(login(world.base, 'here', 'nobody', PASSWORD)).rejects.toThrow('401');
    await loginFailuresWritten(world.app);
    const failed = await list({ action: 'LOGIN', status: 'FAILED', limit: 3 });
    expect(failed.map((row) => [row.resourceName, row.principalId === '0'])).toEqual([
      ['nobody', true],
      ['other-admin', true],
      [name, false],
    ]);
    expect(await list({ action: 'LOGIN', status: 'FAILED' }, other)).toEqual([]);
  });

  it('writes nothing for what was refused', async () => {
    const before = await list({});
    const { principalId } = await addPerson(other);
    expect(
      (await tenant.post('/api/v3/auth/principal/disable', {}, { id: principalId })).status,
    ).toBe(404);
    expect(await list({})).toEqual(before);
  });

  it('gives at most as many rows as asked, newest first, to those who may read it', async () => {
    await addPerson(tenant);
    expect(await list({ limit: 1 })).toHaveLength(1);
    expect((await list({ limit: 100_000 })).length).toBeLessThanOrEqual(500);
    const nobody = await worker(tenant, ['svc-center-manager:device:list']);
    expect((await nobody.session.post('/api/v3/auth/identity_audit/list', {})).status).toBe(403);
  });

  it('says of an update what it was and what it is, and of secrets only that they changed', async () => {
    const { id, credential, role } = await worker(tenant, ['svc-center-manager:device:list']);
    await tenant.data('/api/v3/auth/role/update', { id: role, roleName: 'first' });
    await tenant.data('/api/v3/auth/role/update', { id: role, roleName: 'second', remark: '' });
    await tenant.data('/api/v3/auth/user_profile/update', { id, phone: '+49301234567' });
    const password = 'a fourth password';
    await tenant.data('/api/v3/auth/local_credential/update', { id: credential, password });
    const newest = async (resourceType: string, resourceId: string) =>
      (await list({ resourceType, resourceId, limit: 1 }))[0]?.['detailExt'];
    expect(await newest('ROLE', role)).toEqual({ changes: { roleName: ['first', 'second'] } });
    expect(await newest('USER', id)).toEqual({ changes: { phone: ['', '+49301234567'] } });
    const reset = await newest('LOCAL_CREDENTIAL', credential);
    expect(reset).toMatchObject({ changes: { passwordHash: 'changed' } });
    expect(JSON.stringify(reset)).not.toMatch(/argon2|a fourth/);
  });

  it('shows no secret', async () => {
    const text = JSON.stringify(await list({ limit: 500 }));
    expect(text).not.toMatch(/argon2|\$2b\$|password"/);
    expect(text).not.toContain(PASSWORD);
  });

  it('has every row on its pages once, and those of a span and a filter alone', async () => {
    for (let n = 0; n < 5; n += 1)
      await tenant.data('/api/v3/auth/role/add', { roleName: `page ${n}`, roleCode: `page${n}` });
    const roles = { resourceType: 'ROLE', action: 'CREATE', source: '127.0.0.1' };
    const all = await list(roles);
    const pages: typeof all = [];
    for (let cursor: string | undefined; ;) {
      const page = await list({ ...roles, limit: 2, cursor });
      pages.push(...page);
      cursor = page.at(-1)?.id;
      if (page.length < 2) break;
    }
    expect(pages).toEqual(all);
    expect(all.length).toBeGreaterThanOrEqual(5);
    const [newest, second] = all;
    expect(await list({ ...roles, to: newest?.createTime })).not.toContainEqual(newest);
    expect(await list({ ...roles, from: second?.createTime })).toContainEqual(second);
    expect(await list({ ...roles, from: '2100-01-01T00:00:00Z' })).toEqual([]);
    expect(await list({ ...roles, source: '203.0.113.9' })).toEqual([]);
  });

  it.each(['identity_audit', 'mcp/audit'])(
    'refuses a filter that it does not know, and a cursor of another tenant: %s',
    async (log) => {
      const [foreign] = await list({}, other);
      for (const filter of [{ acton: 'LOGIN' }, { cursor: foreign?.id }, { cursor: 'x' }])
        expect((await tenant.post(`/api/v3/auth/${log}/list`, filter)).status).toBe(400);
      const exported = await tenant.post(`/api/v3/auth/${log}/export`, { acton: 'LOGIN' });
      expect(exported.status).toBe(400);
    },
  );

  it.each(['identity_audit', 'mcp/audit'])(
    'is a table of at most 366 days, for those who may list it: %s',
    async (log) => {
      const at = `/api/v3/auth/${log}/export`;
      const table = await fetch(world.base + at, { method: 'POST', headers: tenant.headers });
      expect(table.headers.get('content-type')).toContain('text/csv');
      const [titles = [], ...rows] = await Array.fromAsync(csvRows(await table.text(), 100_000));
      const listed = await tenant.data(`/api/v3/auth/${log}/list`, { limit: 500 });
      const ids = Rows.parse(listed).map(({ id }) => id);
      expect(rows.map((cells) => cells[titles.indexOf('id')])).toEqual(ids);
      const long = { from: '2020-01-01T00:00:00Z', to: '2022-01-01T00:00:00Z' };
      expect((await tenant.post(at, long)).status).toBe(400);
      const nobody = await worker(tenant, ['svc-center-manager:device:list']);
      expect((await nobody.session.post(at, {})).status).toBe(403);
    },
  );
});
