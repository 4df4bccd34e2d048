import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { addPerson, addRole, bind, PASSWORD, worker } from '../support/people/accounts.ts';
import { login, type Session } from '../support/people/session.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const world = startedWorld();
const tenant = prepared(() => world.tenant('here'));
const other = prepared(() => world.tenant('other'));

const path = (name: string) => `/api/v3/auth/tenant_membership/${name}`;
const Records = z.object({
  records: z.array(z.looseObject({ id: z.string(), principalId: z.string() })),
});
const membership = async (session: Session, principalId: string): Promise<string> =>
  Records.parse(await session.data(path('list'), { principalId })).records[0]?.id ?? '';
const LIST = 'svc-center-manager:device:list';

describe('a person', () => {
  it('belongs to several tenants, with the rights of each', async () => {
    const person = await worker(tenant, [LIST]);
    await world.admin.data(path('add'), {
      principalId: person.principalId,
      tenantId: other.tenantId,
    });
    const there = await login(world.base, 'other', person.name, PASSWORD);
    const list = (session: Session) => session.post('/api/v3/manager/device/list', {});
    expect((await list(there)).status).toBe(403);
    await bind(other, await addRole(other, [LIST]), person.principalId);
    expect((await list(there)).status).toBe(200);
    await other.data(path('delete'), {}, { id: await membership(other, person.principalId) });
    expect((await list(there)).status).toBe(401);
    expect((await list(person.session)).status).toBe(200);
  });

  it('that left may come back, without the roles it had', async () => {
    const person = await worker(tenant, [LIST]);
    const { principalId } = person;
    await tenant.data(path('delete'), {}, { id: await membership(tenant, principalId) });
    expect((await person.session.post('/api/v3/manager/device/list', {})).status).toBe(401);
    expect((await tenant.get('/api/v3/auth/principal/get_by_id', { id: principalId })).status).toBe(
      404,
    );
    expect((await other.post(path('add'), { principalId })).status).toBe(404);
    expect((await tenant.post(path('add'), { principalId })).status).toBe(200);
    const back = await login(world.base, 'here', person.name, PASSWORD);
    expect((await back.post('/api/v3/manager/device/list', {})).status).toBe(403);
  });
});

describe('what is refused', () => {
  it('is to take in somebody of another tenant, like a missing one', async () => {
    const { principalId } = await addPerson(other);
    for (const id of [principalId, '999999999']) {
      const answer = await tenant.post(path('add'), { principalId: id });
      expect([answer.status, answer.body.message]).toEqual([404, 'Principal does not exist']);
    }
  });

  it('is to put somebody into another tenant, like a missing one', async () => {
    const { principalId } = await addPerson(tenant);
    for (const tenantId of [other.tenantId, '999999999']) {
      const answer = await tenant.post(path('add'), { principalId, tenantId });
      expect([answer.status, answer.body.message]).toEqual([404, 'Tenant does not exist']);
    }
  });

  it('is a second membership, and one for a service account', async () => {
    const { principalId } = await addPerson(tenant);
    expect((await tenant.post(path('add'), { principalId })).status).toBe(409);
    const id = await tenant.data('/api/v3/auth/service_account/add', { serviceAccountName: 'bot' });
    const account = z
      .object({ principalId: z.string() })
      .parse(
        await tenant.data('/api/v3/auth/service_account/get_by_id', undefined, { id: String(id) }),
      );
    const moved = await world.admin.post(path('add'), {
      principalId: account.principalId,
      tenantId: other.tenantId,
    });
    expect([moved.status, moved.body.message]).toEqual([
      409,
      'A service account belongs to exactly one tenant',
    ]);
    const left = await tenant.post(
      path('delete'),
      {},
      { id: await membership(tenant, account.principalId) },
    );
    expect(left.status).toBe(409);
  });

  it('is to leave, and to send away who holds more', async () => {
    const mine = z
      .object({ records: z.array(z.object({ principalId: z.string() })) })
      .parse(await tenant.data('/api/v3/auth/user_profile/list', { userName: 'here-admin' }))
      .records[0]?.principalId;
    const id = await membership(tenant, mine ?? '');
    expect((await tenant.post(path('delete'), {}, { id })).status).toBe(409);
    const clerk = await worker(tenant, ['svc-center-auth:tenant_membership:delete']);
    expect((await clerk.session.post(path('delete'), {}, { id })).status).toBe(403);
  });
});
