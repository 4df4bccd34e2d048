import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { addPerson, addRole, bind, roleId, worker } from '../support/people/accounts.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const world = startedWorld();
const tenant = prepared(() => world.tenant('here'));
const other = prepared(() => world.tenant('other'));

const path = (name: string) => `/api/v3/auth/role/${name}`;
const add = async (body: object = {}): Promise<string> =>
  z
    .string()
    .parse(
      await tenant.data(path('add'), { roleName: 'role', roleCode: fresh('person'), ...body }),
    );
const LIST = 'svc-center-manager:device:list';

describe('200', () => {
  it('adds, changes, shows and deletes a role of this tenant', async () => {
    const roleCode = fresh('person');
    const id = await add({ roleCode, roleName: 'Keepers' });
    await tenant.data(path('update'), { id, roleName: 'Wardens', roleCode });
    expect(await tenant.data(path('get_by_id'), undefined, { id })).toMatchObject({
      id,
      roleCode,
      roleName: 'Wardens',
      parentRoleId: '0',
      enableFlag: 'ENABLE',
      tenantId: tenant.tenantId,
    });
    expect(await tenant.data(path('list'), { roleCode })).toMatchObject({ total: 1 });
    expect(await other.data(path('list'), { roleCode })).toMatchObject({ total: 0 });
    await tenant.data(path('delete'), {}, { id });
    expect((await tenant.get(path('get_by_id'), { id })).status).toBe(404);
  });

  it('shows roles as a forest, each exactly once', async () => {
    const parent = await add();
    const child = await add({ parentRoleId: parent });
    const leaf = await add({ parentRoleId: child });
    const forest = z
      .array(z.looseObject({ id: z.string(), children: z.array(z.unknown()) }))
      .parse(await tenant.data(path('list_tree'), {}));
    expect(forest.find(({ id }) => id === parent)).toMatchObject({
      children: [{ id: child, children: [{ id: leaf, children: [] }] }],
    });
    const built = await roleId(tenant, 'viewer');
    expect(forest.some(({ id }) => id === built)).toBe(true);
    for (const [id, parentRoleId] of [
      [parent, leaf],
      [parent, parent],
    ]) {
      expect((await tenant.post(path('update'), { id, parentRoleId })).status).toBe(422);
    }
  });

  it('takes all it gives away at once when it is disabled', async () => {
    const { session, role } = await worker(tenant, [LIST]);
    const call = () => session.post('/api/v3/manager/device/list', {});
    expect((await call()).status).toBe(200);
    await tenant.data(path('update'), { id: role, enableFlag: 'DISABLE' });
    expect((await call()).status).toBe(403);
    await tenant.data(path('update'), { id: role, enableFlag: 'ENABLE' });
    expect((await call()).status).toBe(200);
  });
});

describe('built-in roles', () => {
  it.each(['admin', 'operator', 'viewer', 'agent'])(
    '%s can be seen and not changed',
    async (code) => {
      const id = await roleId(tenant, code);
      expect(await tenant.data(path('get_by_id'), undefined, { id })).toMatchObject({
        tenantId: '0',
      });
      for (const session of [tenant, world.admin]) {
        expect((await session.post(path('update'), { id, roleName: 'mine' })).status).toBe(403);
        expect((await session.post(path('delete'), {}, { id })).status).toBe(403);
      }
      const same = await tenant.post(path('add'), { roleName: 'same', roleCode: code });
      expect(same.status).toBe(409);
    },
  );
});

describe('what is refused', () => {
  it('is a code that is taken, or changed', async () => {
    const roleCode = fresh('person');
    const id = await add({ roleCode });
    const again = await tenant.post(path('add'), { roleName: 'again', roleCode });
    expect([again.status, again.body.message]).toEqual([409, 'The role code is already taken']);
    expect((await other.post(path('add'), { roleName: 'again', roleCode })).status).toBe(200);
    expect((await tenant.post(path('update'), { id, roleCode: fresh('person') })).status).toBe(422);
  });

  it('is to delete a role somebody has, or that others stand below', async () => {
    const role = await addRole(tenant, [LIST]);
    const { principalId } = await addPerson(tenant);
    await bind(tenant, role, principalId);
    const used = await tenant.post(path('delete'), {}, { id: role });
    expect([used.status, used.body.message]).toEqual([409, 'Principals have this role']);
    const parent = await add();
    await add({ parentRoleId: parent });
    const above = await tenant.post(path('delete'), {}, { id: parent });
    expect([above.status, above.body.message]).toEqual([409, 'Other roles stand below this one']);
  });

  it('is a parent of another tenant, like a missing one', async () => {
    const theirs = z
      .string()
      .parse(await other.data(path('add'), { roleName: 'theirs', roleCode: fresh('person') }));
    for (const parentRoleId of [theirs, '999999999']) {
      const body = { roleName: 'role', roleCode: fresh('person'), parentRoleId };
      expect((await tenant.post(path('add'), body)).status).toBe(404);
    }
  });

  it('is to enable what one does not hold', async () => {
    const strong = await addRole(tenant, [LIST]);
    await tenant.data(path('update'), { id: strong, enableFlag: 'DISABLE' });
    const clerk = await worker(tenant, ['svc-center-auth:role:update']);
    const enable = { id: strong, enableFlag: 'ENABLE' };
    expect((await clerk.session.post(path('update'), enable)).status).toBe(403);
  });
});
