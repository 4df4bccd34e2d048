import { describe, expect, it } from 'vitest';

import { RUNS_PLATFORM } from '../../src/auth/permission/platform.ts';
import { addLogin, addPerson, bind, PASSWORD, roleId, worker } from '../support/people/accounts.ts';
import { login, type Session } from '../support/people/session.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const AUTH = '/api/v3/auth';
const DEAD = '/api/v3/data/dead_letter/list';
const LISTS = [
  'svc-center-auth:tenant:list',
  'svc-center-auth:tenant:get',
  'svc-center-auth:dictionary_for_auth:get',
  'svc-center-data:dead_letter:list',
];

describe('the right to run the platform', () => {
  const world = startedWorld();
  const other = prepared(() => world.tenant('other'));

  const withRoles = async (roles: readonly string[]): Promise<Session> => {
    const person = await addPerson(world.admin);
    for (const role of roles)
      await bind(world.admin, await roleId(world.admin, role), person.principalId);
    await addLogin(world.admin, person);
    return login(world.base, 'default', person.name, PASSWORD);
  };
  const seen = async (session: Session) => ({
    tenants: await session.data(`${AUTH}/tenant/list`, {}),
    choice: await session.data(`${AUTH}/dictionary/tenant`),
    other: (await session.get(`${AUTH}/tenant/get_by_id`, { id: other.tenantId })).status,
    dead: (await session.post(DEAD, {})).status,
  });

  it('does not come with a place in its tenant: viewers and operators see their tenant alone', async () => {
    expect(await seen(await withRoles(['viewer', 'operator', 'agent']))).toMatchObject({
      tenants: { total: 1, records: [{ tenantCode: 'default' }] },
      choice: [{ value: world.admin.tenantId }],
      other: 404,
      dead: 403,
    });
  });

  it('comes with the role admin, and with a role that holds it', async () => {
    const all = { tenants: { total: 2 }, choice: [{}, {}], other: 200, dead: 200 };
    expect(await seen(world.admin)).toMatchObject(all);
    expect(await seen(await withRoles(['admin']))).toMatchObject(all);
    expect(
      await seen((await worker(world.admin, [...LISTS, RUNS_PLATFORM])).session),
    ).toMatchObject(all);
  });

  it('is none in another tenant, whatever its roles hold', async () => {
    expect(await seen((await worker(other, [...LISTS, RUNS_PLATFORM])).session)).toMatchObject({
      tenants: { total: 1, records: [{ tenantCode: 'other' }] },
      choice: [{ value: other.tenantId }],
      other: 200,
      dead: 403,
    });
  });

  it('is needed to write what all tenants share, and into other tenants', async () => {
    const rights = ['svc-center-auth:tenant_membership:add', 'svc-center-auth:api:add'];
    const api = { apiName: 'own', apiCode: 'svc-own', apiTypeFlag: 'GET', serviceName: 'svc' };
    const person = await addPerson(world.admin);
    const member = { principalId: person.principalId, tenantId: other.tenantId };
    const ask = async ({ session }: { session: Session }) => [
      (await session.post(`${AUTH}/api/add`, api)).status,
      (await session.post(`${AUTH}/tenant_membership/add`, member)).status,
    ];
    expect(await ask(await worker(world.admin, rights))).toEqual([403, 404]);
    expect(await ask(await worker(world.admin, [...rights, RUNS_PLATFORM]))).toEqual([200, 200]);
  });
});
