import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { permissionsOf } from '../../src/auth/permission/permission.ts';
import { addPerson, worker } from '../support/people/accounts.ts';
import { login, type Session } from '../support/people/session.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const world = startedWorld();
const other = prepared(() => world.tenant('other'));

const path = (name: string) => `/api/v3/auth/tenant/${name}`;
const add = async (code = fresh('tenant')): Promise<{ id: string; code: string }> => ({
  id: z.string().parse(await world.admin.data(path('add'), { tenantName: code, tenantCode: code })),
  code,
});
const enter = (code: string): Promise<Session> =>
  login(world.base, code, 'admin', testEnvironment.SVC_ADMIN_PASSWORD);

describe('a tenant added by the platform tenant', () => {
  it('is headed by whoever added it, who can log in there and bring in others', async () => {
    const { id, code } = await add();
    const head = await enter(code);
    expect(head.tenantId).toBe(id);
    const somebody = await worker(head, ['svc-center-manager:device:list']);
    expect((await somebody.session.post('/api/v3/manager/device/list', {})).status).toBe(200);
  });

  it('sees nothing of the others, and they see nothing of it', async () => {
    const { id, code } = await add();
    const head = await enter(code);
    expect(await head.data(path('list'), {})).toMatchObject({ total: 1, records: [{ id }] });
    expect((await other.get(path('get_by_id'), { id })).status).toBe(404);
    expect((await other.get(path('get_by_code'), { code })).status).toBe(404);
    expect((await other.post(path('update'), { id, tenantName: 'theirs' })).status).toBe(404);
    expect(await world.admin.data(path('get_by_code'), undefined, { code })).toMatchObject({ id });
  });

  it('is switched off and on with everybody in it', async () => {
    const { id, code } = await add();
    const head = await enter(code);
    await world.admin.data(path('update'), { id, enableFlag: 'DISABLE' });
    expect((await head.get(path('get_by_id'), { id })).status).toBe(401);
    await expect(enter(code)).rejects.toThrow('401');
    await world.admin.data(path('update'), { id, enableFlag: 'ENABLE' });
    expect((await (await enter(code)).get(path('get_by_id'), { id })).status).toBe(200);
  });

  it('is deleted once it is empty, and its code is free again', async () => {
    const { id, code } = await add();
    const head = await enter(code);
    const guest = await addPerson(head);
    const refused = await world.admin.post(path('delete'), {}, { id });
    expect([refused.status, refused.body.message]).toEqual([409, 'The tenant still has members']);
    await head.data('/api/v3/auth/user_profile/delete', {}, { id: guest.id });
    await head.data('/api/v3/manager/profile/add', { profileName: 'boiler' });
    expect((await world.admin.post(path('delete'), {}, { id })).body.message).toBe(
      'The tenant still has profiles',
    );
    const profiles = z
      .object({ records: z.array(z.object({ id: z.string() })) })
      .parse(await head.data('/api/v3/manager/profile/list', {}));
    for (const profile of profiles.records) {
      await head.data('/api/v3/manager/profile/delete', {}, { id: profile.id });
    }
    // Any operator of the platform may, not only the one who added it.
    const operator = await worker(world.admin, ['*']);
    await operator.session.data(path('delete'), {}, { id });
    expect((await head.get(path('get_by_id'), { id })).status).toBe(401);
    expect((await world.admin.get(path('get_by_id'), { id })).status).toBe(404);
    await add(code);
  });
});

describe('the time zone of a tenant', () => {
  it('is UTC until one is given, by its IANA name, which is checked', async () => {
    const { id } = await add();
    const zone = async () => {
      const tenant = await world.admin.data(path('get_by_id'), undefined, { id });
      return z.object({ timezone: z.string() }).parse(tenant).timezone;
    };
    expect(await zone()).toBe('UTC');
    await world.admin.data(path('update'), { id, timezone: 'europe/berlin' });
    expect(await zone()).toBe('Europe/Berlin');
    const refused = await world.admin.post(path('update'), { id, timezone: 'Europe/Atlantis' });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      400,
      expect.stringContaining('IANA'),
    ]);
    expect(await zone()).toBe('Europe/Berlin');
  });

  it('is known of a caller at the next call', async () => {
    const { id, code } = await add();
    const head = await enter(code);
    const known = async () => {
      expect((await head.get(path('get_by_id'), { id })).status).toBe(200);
      return (await permissionsOf(world.app, id, head.principalId)).timezone;
    };
    expect(await known()).toBe('UTC');
    await world.admin.data(path('update'), { id, timezone: 'Asia/Tokyo' });
    expect(await known()).toBe('Asia/Tokyo');
  });
});

describe('the list', () => {
  it('holds all tenants for the platform tenant, by name and code, and as a selection', async () => {
    const { id, code } = await add();
    expect(await world.admin.data(path('list'), { tenantCode: code.slice(2) })).toMatchObject({
      total: 1,
      records: [{ id, tenantCode: code, enableFlag: 'ENABLE' }],
    });
    expect(await world.admin.data('/api/v3/auth/dictionary/tenant')).toContainEqual({
      type: 'TENANT',
      label: code,
      value: id,
      disabled: false,
    });
    expect(await other.data('/api/v3/auth/dictionary/tenant')).toMatchObject([
      { value: other.tenantId },
    ]);
  });
});

describe('403', () => {
  it('meets every other tenant that adds or deletes one', async () => {
    const tenant = { tenantName: 'mine', tenantCode: fresh('mine') };
    expect((await other.post(path('add'), tenant)).status).toBe(403);
    expect((await other.post(path('delete'), {}, { id: other.tenantId })).status).toBe(403);
    expect((await other.post(path('delete'), {}, { id: world.admin.tenantId })).status).toBe(403);
  });

  it('meets somebody of the platform who does not hold everything himself', async () => {
    const clerk = await worker(world.admin, ['svc-center-auth:tenant:add']);
    const tenant = { tenantName: 'clerks', tenantCode: fresh('clerks') };
    expect((await clerk.session.post(path('add'), tenant)).status).toBe(403);
  });
});

describe('what is refused', () => {
  it('is a code that is taken (409) or changed (422)', async () => {
    const { id, code } = await add();
    const taken = await world.admin.post(path('add'), { tenantName: 'again', tenantCode: code });
    expect([taken.status, taken.body.message]).toEqual([409, 'The tenant code is already taken']);
    expect((await world.admin.post(path('update'), { id, tenantCode: 'new' })).status).toBe(422);
    await world.admin.data(path('update'), { id, tenantCode: code, tenantName: 'renamed' });
  });

  it('is the end of the platform tenant, or of the own one', async () => {
    const { tenantId } = world.admin;
    expect((await world.admin.post(path('delete'), {}, { id: tenantId })).status).toBe(409);
    const disable = { enableFlag: 'DISABLE' };
    expect((await world.admin.post(path('update'), { id: tenantId, ...disable })).status).toBe(409);
    expect((await other.post(path('update'), { id: other.tenantId, ...disable })).status).toBe(409);
  });
});
