import { describe, expect, it } from 'vitest';

import { addLogin, addPerson, bind, PASSWORD, roleId, worker } from '../support/people/accounts.ts';
import { login, request, type Session } from '../support/people/session.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const world = startedWorld();
const tenant = prepared(() => world.tenant('here'));
const other = prepared(() => world.tenant('other'));

const path = (name: string) => `/api/v3/auth/principal/${name}`;
const LIST = 'svc-center-manager:device:list';

describe('200', () => {
  it('shows people and accounts of this tenant by id, ids and list', async () => {
    const { principalId, name } = await addPerson(tenant);
    const expected = {
      id: principalId,
      principalType: 'USER',
      principalName: name,
      sourceType: 'LOCAL',
      enableFlag: 'ENABLE',
      lockedFlag: 'ENABLE',
    };
    expect(await tenant.data(path('get_by_id'), undefined, { id: principalId })).toMatchObject(
      expected,
    );
    expect(await tenant.data(path('list'), { principalName: name })).toMatchObject({
      total: 1,
      records: [expected],
    });
    const foreign = await addPerson(other);
    expect(
      await tenant.data(path('list_by_ids'), [foreign.principalId, principalId]),
    ).toMatchObject([expected]);
    expect(await tenant.data(path('list_by_ids'), [])).toEqual([]);
    expect(await tenant.data(path('list'), { sourceType: 'EXTERNAL' })).toMatchObject({ total: 0 });
  });

  it('disables at once with everything issued before, and enables for new logins', async () => {
    const { session, principalId, name } = await worker(tenant, [LIST]);
    const call = () => session.post('/api/v3/manager/device/list', {});
    expect((await call()).status).toBe(200);
    await tenant.data(path('disable'), {}, { id: principalId });
    expect((await call()).status).toBe(401);
    await expect(login(world.base, 'here', name, PASSWORD)).rejects.toThrow('401');
    await tenant.data(path('enable'), {}, { id: principalId });
    expect((await call()).status).toBe(401);
    const again = await login(world.base, 'here', name, PASSWORD);
    expect((await again.post('/api/v3/manager/device/list', {})).status).toBe(200);
  });
});

describe('an external identity', () => {
  it('logs nobody in, and no principal becomes one through the API', async () => {
    const answer = await request(world.base, 'POST', '/api/v3/auth/token/external', {
      body: { tenant: 'here', provider: 'any', code: 'x' },
    });
    expect([answer.status, answer.body.message]).toEqual([
      403,
      'Login through an external identity provider is not enabled',
    ]);
    const name = fresh('person');
    const id = await tenant.data('/api/v3/auth/user_profile/add', {
      userName: name,
      nickName: name,
      sourceType: 'EXTERNAL',
    });
    await tenant.data('/api/v3/auth/user_profile/update', { id, sourceType: 'EXTERNAL' });
    expect(await tenant.data(path('list'), { principalName: name })).toMatchObject({
      records: [{ sourceType: 'LOCAL' }],
    });
  });
});

describe('409', () => {
  it('keeps the last admin of a tenant, also when two admins disable each other', async () => {
    const lonely = await world.tenant('lonely');
    const admins = await Promise.all([1, 2].map(() => addPerson(lonely)));
    const role = await roleId(lonely, 'admin');
    const sessions: Session[] = [];
    for (const admin of admins) {
      await bind(lonely, role, admin.principalId);
      await addLogin(lonely, admin);
      sessions.push(await login(world.base, 'lonely', admin.name, PASSWORD));
    }
    const [one, two] = admins;
    const first = await lonely.data(path('list'), { principalName: 'lonely-admin' });
    const id = /"id":"(\d+)"/.exec(JSON.stringify(first))?.[1] ?? '';
    expect((await lonely.post(path('disable'), {}, { id })).status).toBe(409);
    await sessions[0]?.data(path('disable'), {}, { id });
    const answers = await Promise.all([
      sessions[0]?.post(path('disable'), {}, { id: two?.principalId ?? '' }),
      sessions[1]?.post(path('disable'), {}, { id: one?.principalId ?? '' }),
    ]);
    const left = [];
    for (const { name } of admins) {
      left.push(await login(world.base, 'lonely', name, PASSWORD).catch(() => null));
    }
    expect(left.filter((session) => session !== null)).toHaveLength(1);
    expect(answers.filter((answer) => answer?.status === 200)).toHaveLength(1);
  });
});

describe('403', () => {
  it('keeps the weak from switching off the strong', async () => {
    const clerk = await worker(tenant, ['svc-center-auth:principal:update']);
    const strong = await worker(tenant, [LIST]);
    const weak = await addPerson(tenant);
    const disable = (id: string) => clerk.session.post(path('disable'), {}, { id });
    expect((await disable(strong.principalId)).status).toBe(403);
    expect((await disable(weak.principalId)).status).toBe(200);
  });

  it('keeps one tenant from switching off what belongs to others as well', async () => {
    const { principalId } = await addPerson(tenant);
    await world.admin.data('/api/v3/auth/tenant_membership/add', {
      principalId,
      tenantId: other.tenantId,
    });
    expect((await other.post(path('disable'), {}, { id: principalId })).status).toBe(403);
    expect((await tenant.post(path('disable'), {}, { id: principalId })).status).toBe(403);
  });
});
