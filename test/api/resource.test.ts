import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { resourceId, worker } from '../support/people/accounts.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const world = startedWorld();
const tenant = prepared(() => world.tenant('here'));

/** What belongs to all tenants: resources, the API catalogue and menus. */
const kinds = [
  { noun: 'resource', name: 'resourceName', code: 'resourceCode' },
  { noun: 'api', name: 'apiName', code: 'apiCode' },
  { noun: 'menu', name: 'menuName', code: 'menuCode' },
] as const;

describe.each(kinds)('a $noun', ({ noun, name, code }) => {
  const path = (verb: string) => `/api/v3/auth/${noun}/${verb}`;
  const add = async (body: object = {}): Promise<string> =>
    z
      .string()
      .parse(
        await world.admin.data(path('add'), { [name]: 'First', [code]: fresh('person'), ...body }),
      );

  it('is added, changed and deleted by the platform tenant, and seen by all', async () => {
    const given = fresh('person');
    const id = await add({ [code]: given });
    await world.admin.data(path('update'), { id, [name]: 'Second', enableFlag: 'DISABLE' });
    for (const session of [world.admin, tenant]) {
      expect(await session.data(path('get_by_id'), undefined, { id })).toMatchObject({
        id,
        [name]: 'Second',
        [code]: given,
        enableFlag: 'DISABLE',
      });
      expect(await session.data(path('list'), { [code]: given })).toMatchObject({
        total: 1,
        records: [{ id }],
      });
    }
    await world.admin.data(path('delete'), {}, { id });
    expect((await tenant.get(path('get_by_id'), { id })).status).toBe(404);
  });

  it('is written by no other tenant, whatever its admin holds', async () => {
    const id = await add();
    const answers = [
      await tenant.post(path('add'), { [name]: 'Mine', [code]: fresh('person') }),
      await tenant.post(path('update'), { id, [name]: 'Mine' }),
      await tenant.post(path('delete'), {}, { id }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
  });

  it('has a code of its own', async () => {
    const given = fresh('person');
    await add({ [code]: given });
    const again = { [name]: 'Again', [code]: given };
    expect((await world.admin.post(path('add'), again)).status).toBe(409);
  });
});

describe.each([
  { noun: 'resource', name: 'resourceName', code: 'resourceCode', parent: 'parentResourceId' },
  { noun: 'menu', name: 'menuName', code: 'menuCode', parent: 'parentMenuId' },
] as const)('a $noun below another', ({ noun, name, code, parent: key }) => {
  const path = (verb: string) => `/api/v3/auth/${noun}/${verb}`;
  const add = async (body: object = {}): Promise<string> =>
    z
      .string()
      .parse(
        await world.admin.data(path('add'), { [name]: 'First', [code]: fresh('person'), ...body }),
      );

  it('stands in a forest, never below itself', async () => {
    const top = await add();
    const below = await add({ [key]: top });
    const forest = z
      .array(z.looseObject({ id: z.string() }))
      .parse(await tenant.data(path('list_tree'), {}));
    expect(forest.find(({ id }) => id === top)).toMatchObject({
      children: [{ id: below, children: [] }],
    });
    expect((await world.admin.post(path('update'), { id: top, [key]: below })).status).toBe(422);
    expect((await world.admin.post(path('delete'), {}, { id: top })).status).toBe(409);
    expect((await world.admin.post(path('add'), { [name]: 'Lost', [key]: '999999' })).status).toBe(
      404,
    );
  });
});

describe('a permission', () => {
  const LIST = 'svc-center-manager:device:list';
  const path = (verb: string) => `/api/v3/auth/resource/${verb}`;

  it('that is switched off is gone for everybody at once', async () => {
    const { session } = await worker(tenant, [LIST]);
    const call = () => session.post('/api/v3/manager/device/list', {});
    expect((await call()).status).toBe(200);
    const id = await resourceId(world.admin, LIST);
    await world.admin.data(path('update'), { id, enableFlag: 'DISABLE' });
    expect((await call()).status).toBe(403);
    await world.admin.data(path('update'), { id, enableFlag: 'ENABLE' });
    expect((await call()).status).toBe(200);
  });

  it('that roles hold is not deleted, renamed, or, the wildcard, changed', async () => {
    const id = await resourceId(world.admin, LIST);
    expect((await world.admin.post(path('delete'), {}, { id })).body.message).toBe(
      'Roles hold this resource',
    );
    expect((await world.admin.post(path('update'), { id, resourceCode: '*' })).status).toBe(422);
    const wildcard = await resourceId(world.admin, '*');
    for (const [verb, body] of [
      ['update', { id: wildcard, enableFlag: 'DISABLE' }],
      ['delete', { id: wildcard }],
    ] as const) {
      expect((await world.admin.post(path(verb), body)).status).toBe(409);
    }
  });
});

describe('the catalogue of the API', () => {
  it('holds every endpoint, with its method', async () => {
    const found = await tenant.data('/api/v3/auth/api/list', {
      apiCode: 'svc-center-manager:POST:/device/add',
    });
    expect(found).toMatchObject({
      total: 1,
      records: [{ serviceName: 'svc-center-manager', apiTypeFlag: 'POST', apiGroup: 'device' }],
    });
  });
});
