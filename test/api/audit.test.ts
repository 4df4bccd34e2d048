import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { loginFailuresWritten } from '../../src/auth/login/failure.ts';
import { addPerson, PASSWORD, worker } from '../support/people/accounts.ts';
import { login, type Session } from '../support/people/session.ts';
import { startWorld, type World } from '../support/world/app.ts';

let world: World;
let tenant: Session;
let other: Session;
beforeAll(async () => {
  world = await startWorld();
  tenant = await world.tenant('here');
  other = await world.tenant('other');
});
afterAll(() => world.stop());

const Rows = z.array(
  z.looseObject({
    action: z.string(),
    status: z.string(),
    principalId: z.string(),
    resourceName: z.string(),
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

  it('shows no secret', async () => {
    const text = JSON.stringify(await list({ limit: 500 }));
    expect(text).not.toMatch(/argon2|\$2b\$|password"/);
    expect(text).not.toContain(PASSWORD);
  });
});
