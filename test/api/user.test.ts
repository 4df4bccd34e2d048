import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { addPerson, addRole, bind, roleId, worker } from '../support/people/accounts.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const world = startedWorld();
const tenant = prepared(() => world.tenant('people'));
const other = prepared(() => world.tenant('other'));

const path = (name: string) => `/api/v3/auth/user_profile/${name}`;
const User = z.looseObject({ id: z.string(), principalId: z.string() });
const show = async (id: string) =>
  User.parse(await tenant.data(path('get_by_id'), undefined, { id }));

describe('200', () => {
  it('adds a person of this tenant, who is found by id, name and list', async () => {
    const userName = fresh('Anna').slice(0, 30);
    const added = await tenant.post(path('add'), {
      userName,
      nickName: '安娜',
      phone: '+8613812345678',
      email: 'anna@büro.example.co.uk',
      socialExt: { type: 'social', content: { wechat: 'anna' } },
    });
    expect(added).toMatchObject({ status: 200, body: { code: 'R201' } });
    const id = String(added.body.data);
    const expected = {
      id,
      userName: userName.toLowerCase(),
      nickName: '安娜',
      phone: '+8613812345678',
      email: 'anna@büro.example.co.uk',
      enableFlag: 'ENABLE',
      creatorName: 'people-admin',
    };
    expect(await show(id)).toMatchObject(expected);
    expect(await tenant.data(path('get_by_name'), undefined, { name: userName })).toMatchObject(
      expected,
    );
    expect(await tenant.data(path('list'), { email: 'BÜRO' })).toMatchObject({
      total: 1,
      records: [expected],
    });
    expect(await other.data(path('list'), { userName })).toMatchObject({ total: 0 });
  });

  it('changes what is given, and clears with an empty text', async () => {
    const { id, principalId } = await addPerson(tenant);
    await tenant.data(path('update'), { id, nickName: 'Renamed', phone: '+4930123456' });
    expect(await show(id)).toMatchObject({ nickName: 'Renamed', phone: '+4930123456' });
    expect(
      await tenant.data('/api/v3/auth/principal/get_by_id', undefined, { id: principalId }),
    ).toMatchObject({ displayName: 'Renamed' });
    await tenant.data(path('update'), { id, phone: '' });
    expect(await show(id)).toMatchObject({ nickName: 'Renamed', phone: '' });
  });

  it('switches off the login with the person', async () => {
    const { session, id } = await worker(tenant, ['svc-center-manager:device:list']);
    await tenant.data(path('update'), { id, enableFlag: 'DISABLE' });
    expect((await session.post('/api/v3/manager/device/list', {})).status).toBe(401);
    expect(await show(id)).toMatchObject({ enableFlag: 'DISABLE' });
  });

  it('deletes a person with login, membership and roles', async () => {
    const { session, id, principalId } = await worker(tenant, ['svc-center-manager:device:list']);
    await tenant.data(path('delete'), {}, { id });
    expect((await session.post('/api/v3/manager/device/list', {})).status).toBe(401);
    for (const list of ['tenant_membership', 'role_principal', 'local_credential']) {
      expect(await tenant.data(`/api/v3/auth/${list}/list`, { principalId })).toMatchObject({
        total: 0,
      });
    }
  });
});

describe('what is refused', () => {
  it.each(['12', 'abc', '+0123456789', '+123456789012345678', "1' or 1=1"])(
    'is %s as a phone number',
    async (phone) => {
      const body = { userName: fresh('person'), nickName: 'Phone', phone };
      expect((await tenant.post(path('add'), body)).status).toBe(400);
    },
  );

  it.each(['x', 'a@b', 'a b@c.de', 'a@@c.de', 'a@c..de', '<a@c.de>'])(
    'is %s as an e-mail address',
    async (email) => {
      const body = { userName: fresh('person'), nickName: 'Email', email };
      expect((await tenant.post(path('add'), body)).status).toBe(400);
    },
  );

  it('is a user name that is taken, in any case', async () => {
    const { name } = await addPerson(tenant);
    const again = await tenant.post(path('add'), {
      userName: name.toUpperCase(),
      nickName: 'X1',
    });
    expect([again.status, again.body.message]).toEqual([409, 'The user name is already taken']);
  });

  it('is to delete oneself, an owner, or the last admin', async () => {
    const me = z
      .object({ records: z.array(User) })
      .parse(await tenant.data(path('list'), { userName: 'people-admin' })).records[0];
    expect((await tenant.post(path('delete'), {}, { id: me?.id ?? '' })).status).toBe(409);
    const second = await worker(tenant, ['*']);
    await second.session.data('/api/v3/auth/service_account/add', {
      serviceAccountName: 'owned',
    });
    const owner = await tenant.post(path('delete'), {}, { id: second.id });
    expect([owner.status, owner.body.message]).toEqual([
      409,
      'The service account “owned” belongs to this principal',
    ]);
  });

  it('is to change or delete somebody who holds more', async () => {
    const clerk = await worker(tenant, [
      'svc-center-auth:user:update',
      'svc-center-auth:user:delete',
    ]);
    const boss = await addPerson(tenant);
    await bind(tenant, await roleId(tenant, 'admin'), boss.principalId);
    const weak = await addPerson(tenant);
    const update = (id: string) => clerk.session.post(path('update'), { id, nickName: 'Other' });
    expect((await update(boss.id)).status).toBe(403);
    expect((await clerk.session.post(path('delete'), {}, { id: boss.id })).status).toBe(403);
    expect((await update(weak.id)).status).toBe(200);
    expect((await update(clerk.id)).status).toBe(200);
    expect((await clerk.session.post(path('delete'), {}, { id: weak.id })).status).toBe(200);
  });

  it('is a profile for a principal that has one, or is no person', async () => {
    const { principalId } = await addPerson(tenant);
    const body = { userName: fresh('person'), nickName: 'Twice', principalId };
    expect((await tenant.post(path('add'), body)).status).toBe(409);
    const id = await tenant.data('/api/v3/auth/service_account/add', { serviceAccountName: 'bot' });
    const account = User.parse(
      await tenant.data('/api/v3/auth/service_account/get_by_id', undefined, { id: String(id) }),
    );
    const { status } = await tenant.post(path('add'), {
      ...body,
      principalId: account.principalId,
    });
    expect(status).toBe(422);
  });

  it('is everything without the permission', async () => {
    const nobody = await worker(tenant, ['svc-center-manager:device:list']);
    for (const name of ['add', 'delete', 'update', 'list']) {
      expect((await nobody.session.post(path(name), {})).status, name).toBe(403);
    }
    expect(await addRole(tenant, [])).toMatch(/^\d+$/);
  });
});
