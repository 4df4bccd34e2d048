import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import {
  addPerson,
  addRole,
  bind,
  PASSWORD,
  addLogin,
  resourceId,
  roleId,
  worker,
} from '../support/people/accounts.ts';
import { login, type Session } from '../support/people/session.ts';
import { Records } from '../support/people/shapes.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const world = startedWorld();
const tenant = prepared(() => world.tenant('here'));
const other = prepared(() => world.tenant('other'));

const auth = '/api/v3/auth';
const LIST = 'svc-center-manager:device:list';
const ADD = 'svc-center-manager:device:add';
const firstId = async (session: Session, path: string, filter: object): Promise<string> =>
  Records.parse(await session.data(path, filter)).records[0]?.id ?? '';

describe('a role given to somebody', () => {
  it('acts at once, and ends at once', async () => {
    const { session, principalId } = await worker(tenant, []);
    const call = () => session.post('/api/v3/manager/device/list', {});
    expect((await call()).status).toBe(403);
    const role = await addRole(tenant, [LIST]);
    await bind(tenant, role, principalId);
    expect((await call()).status).toBe(200);
    const id = await firstId(tenant, `${auth}/role_principal/list`, { principalId, roleId: role });
    await tenant.data(`${auth}/role_principal/delete`, {}, { id });
    expect((await call()).status).toBe(403);
  });

  it('is listed with role, person and resources', async () => {
    const { id, principalId, role } = await worker(tenant, [LIST]);
    const get = (path: string, query: Record<string, string>) =>
      tenant.data(`${auth}/${path}`, undefined, query);
    expect(
      await get('role_principal/list_role_by_principal', { principal_id: principalId }),
    ).toMatchObject([{ id: role }]);
    expect(await get('role_principal/list_user_by_role', { role_id: role })).toMatchObject([
      { id },
    ]);
    expect(await get('role_resource/list_resource_by_role', { role_id: role })).toMatchObject([
      { resourceCode: LIST },
    ]);
    expect(
      await get('role_resource/list_resource_by_principal', { principal_id: principalId }),
    ).toMatchObject([{ resourceCode: LIST }]);
    const holders = z.array(z.looseObject({ id: z.string() })).parse(
      await get('role_resource/list_role_by_resource', {
        resource_id: await resourceId(tenant, LIST),
      }),
    );
    expect(holders.map((holder) => holder.id)).toContain(role);
    expect(
      await other.data(`${auth}/role_principal/list_user_by_role`, undefined, { role_id: role }),
    ).toEqual([]);
  });

  it('may be the built-in one, for accounts as well as people', async () => {
    const { principalId } = await addPerson(tenant);
    await bind(tenant, await roleId(tenant, 'operator'), principalId);
    expect(
      await tenant.data(`${auth}/role_principal/list`, { principalId, principalType: 'USER' }),
    ).toMatchObject({ total: 1 });
  });
});

describe('a resource given to a role', () => {
  it('acts at once for everybody who has the role, and ends at once', async () => {
    const { session, role } = await worker(tenant, []);
    const call = () => session.post('/api/v3/manager/device/list', {});
    expect((await call()).status).toBe(403);
    const id = z.string().parse(
      await tenant.data(`${auth}/role_resource/add`, {
        roleId: role,
        resourceId: await resourceId(tenant, LIST),
      }),
    );
    expect((await call()).status).toBe(200);
    await tenant.data(`${auth}/role_resource/delete`, {}, { id });
    expect((await call()).status).toBe(403);
  });

  it('never changes a built-in role, and so no other tenant', async () => {
    const viewer = await roleId(tenant, 'viewer');
    const grant = { roleId: viewer, resourceId: await resourceId(tenant, '*') };
    const bound = await firstId(tenant, `${auth}/role_resource/list`, { roleId: viewer });
    for (const session of [tenant, world.admin]) {
      expect((await session.post(`${auth}/role_resource/add`, grant)).status).toBe(403);
      expect((await session.post(`${auth}/role_resource/delete`, {}, { id: bound })).status).toBe(
        403,
      );
    }
  });
});

describe('403', () => {
  it('meets whoever hands on what he does not hold', async () => {
    const clerk = await worker(tenant, [
      LIST,
      'svc-center-auth:role_principal_bind:add',
      'svc-center-auth:role_resource_bind:add',
    ]);
    const { principalId } = await addPerson(tenant);
    const give = async (role: string) =>
      (await clerk.session.post(`${auth}/role_principal/add`, { roleId: role, principalId }))
        .status;
    expect(await give(await addRole(tenant, [ADD]))).toBe(403);
    expect(await give(await roleId(tenant, 'admin'))).toBe(403);
    expect(await give(await addRole(tenant, [LIST]))).toBe(200);
    const role = await addRole(tenant, []);
    const hold = async (code: string) =>
      (
        await clerk.session.post(`${auth}/role_resource/add`, {
          roleId: role,
          resourceId: await resourceId(tenant, code),
        })
      ).status;
    expect(await hold(ADD)).toBe(403);
    expect(await hold('*')).toBe(403);
    expect(await hold(LIST)).toBe(200);
  });
});

describe('409', () => {
  it('meets a binding that is there', async () => {
    const { principalId, role } = await worker(tenant, [LIST]);
    const again = await tenant.post(`${auth}/role_principal/add`, { roleId: role, principalId });
    expect(again.status).toBe(409);
    const grant = { roleId: role, resourceId: await resourceId(tenant, LIST) };
    expect((await tenant.post(`${auth}/role_resource/add`, grant)).status).toBe(409);
  });

  it('keeps the last admin: his role, what it holds, and the role itself', async () => {
    const fresh = await world.tenant('lonely');
    const admin = await roleId(fresh, 'admin');
    const id = await firstId(fresh, `${auth}/role_principal/list`, { roleId: admin });
    const remove = () => fresh.post(`${auth}/role_principal/delete`, {}, { id });
    const refused = await remove();
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'The tenant would be without an admin',
    ]);
    const own = await addRole(fresh, ['*']);
    const second = await addPerson(fresh);
    await bind(fresh, own, second.principalId);
    // Somebody who cannot log in keeps nobody's place.
    expect((await remove()).status).toBe(409);
    await addLogin(fresh, second);
    const successor = await login(world.base, 'lonely', second.name, PASSWORD);
    expect((await remove()).status).toBe(200);
    const grant = await firstId(successor, `${auth}/role_resource/list`, { roleId: own });
    for (const [path, body] of [
      ['role_resource/delete', { id: grant }],
      ['role/update', { id: own, enableFlag: 'DISABLE' }],
    ] as const) {
      expect((await successor.post(`${auth}/${path}`, body)).status, path).toBe(409);
    }
  });
});
