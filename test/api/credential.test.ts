import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import {
  addLogin,
  addPerson,
  bind,
  changePassword,
  PASSWORD,
  roleId,
  worker,
} from '../support/people/accounts.ts';
import { login } from '../support/people/session.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const DAY_MS = 86_400_000;
const world = startedWorld({ environment: { SVC_PASSWORD_EXPIRE_DAYS: '30' } });
const tenant = prepared(() => world.tenant('here'));

const path = (name: string) => `/api/v3/auth/local_credential/${name}`;
const FIRST = 'a first password';
const LIST = 'svc-center-manager:device:list';
const enter = (name: string, password: string) => login(world.base, 'here', name, password);
const Shown = z.looseObject({ passwordExpireTime: z.string(), requirePasswordChange: z.string() });
const show = async (id: string) =>
  Shown.parse(await tenant.data(path('get_by_id'), undefined, { id }));

async function newLogin(loginName = fresh('person'), session = tenant) {
  const { principalId } = await addPerson(session, loginName);
  const answer = await session.post(path('add'), { principalId, loginName, password: FIRST });
  return { principalId, loginName, answer, id: String(answer.body.data) };
}

describe('a new login', () => {
  it('must change its password first, and then works', async () => {
    const { loginName, answer, id } = await newLogin();
    expect(answer).toMatchObject({ status: 200, body: { code: 'R201' } });
    expect(await show(id)).toMatchObject({
      requirePasswordChange: 'REQUIRED',
      passwordAlgorithm: 'ARGON2ID',
    });
    await expect(enter(loginName, FIRST)).rejects.toThrow('R4031');
    expect((await changePassword(tenant, loginName, FIRST, PASSWORD)).body.data).toBe(true);
    expect((await enter(loginName, PASSWORD)).tenantId).toBe(tenant.tenantId);
    expect(await show(id)).toMatchObject({ requirePasswordChange: 'NOT_REQUIRED' });
  });

  it('takes no password that is guessed first, at any of its doors', async () => {
    const { loginName, principalId, id } = await newLogin(fresh('north.wind'));
    const guessable = ['Password123!', '        ', 'aaaaaaaa', 'Summer2026', `${loginName}1`];
    for (const password of guessable) {
      const answers = [
        await tenant.post(path('add'), { principalId, loginName, password }),
        await tenant.post(path('update'), { id, password }),
        await tenant.post(path('reset_password'), { id, password }),
        await changePassword(tenant, loginName, FIRST, password),
      ];
      expect(
        answers.map(({ status }) => status),
        password,
      ).toEqual([422, 422, 422, 422]);
    }
    expect((await changePassword(tenant, loginName, FIRST, PASSWORD)).body.data).toBe(true);
  });

  it('never shows its password or hash', async () => {
    const { loginName, id } = await newLogin();
    const seen = JSON.stringify([await show(id), await tenant.data(path('list'), { loginName })]);
    expect(seen).not.toMatch(/\$argon2|passwordHash|"password"|first password/);
    expect(seen).toContain(loginName);
  });

  it('is told to be taken, in any case', async () => {
    const { loginName } = await newLogin();
    const check = (name: string) => tenant.data(path('check'), undefined, { name });
    expect(await check(loginName.toUpperCase())).toBe(true);
    expect(await check(`${loginName}x`)).toBe(false);
    const { principalId } = await addPerson(tenant);
    const again = { principalId, loginName: loginName.toUpperCase(), password: FIRST };
    expect((await tenant.post(path('add'), again)).status).toBe(409);
  });

  it('is one to a person, and only for people', async () => {
    const { principalId } = await newLogin();
    const body = { principalId, loginName: fresh('person'), password: FIRST };
    expect((await tenant.post(path('add'), body)).status).toBe(409);
    const id = await tenant.data('/api/v3/auth/service_account/add', { serviceAccountName: 'bot' });
    const account = z
      .object({ principalId: z.string() })
      .parse(
        await tenant.data('/api/v3/auth/service_account/get_by_id', undefined, { id: String(id) }),
      );
    const { status } = await tenant.post(path('add'), { ...body, ...account });
    expect(status).toBe(422);
  });

  it.each(['short', 'password1', 'x'.repeat(1_025)])('is refused with %.10s', async (password) => {
    const { principalId } = await addPerson(tenant);
    const { status } = await tenant.post(path('add'), {
      principalId,
      loginName: fresh('person'),
      password,
    });
    expect([400, 422]).toContain(status);
  });
});

describe('a password', () => {
  it('expires after the configured days, and a change renews it', async () => {
    const { name, credential } = await worker(tenant, [LIST]);
    const { passwordExpireTime } = await show(credential);
    const left = Date.parse(passwordExpireTime) - world.clock.now();
    expect(left).toBeGreaterThan(29 * DAY_MS);
    expect(left).toBeLessThanOrEqual(30 * DAY_MS);
    await tenant.data(path('update'), {
      id: credential,
      passwordExpireTime: '2020-01-01T00:00:00Z',
    });
    await expect(enter(name, PASSWORD)).rejects.toThrow('R4032');
    await changePassword(tenant, name, PASSWORD, 'yet another password');
    expect((await enter(name, 'yet another password')).tenant).toBe('here');
  });

  it('that is reset ends every session and must be changed', async () => {
    const { session, name, credential } = await worker(tenant, [LIST]);
    expect(await tenant.data(path('reset_password'), { id: credential, password: FIRST })).toBe(
      true,
    );
    expect((await session.post('/api/v3/manager/device/list', {})).status).toBe(401);
    await expect(enter(name, PASSWORD)).rejects.toThrow('401');
    await expect(enter(name, FIRST)).rejects.toThrow('R4031');
  });
});

describe('a login that is changed', () => {
  it('keeps working under its new name only', async () => {
    const { session, name, credential } = await worker(tenant, [LIST]);
    const loginName = fresh('renamed');
    await tenant.data(path('update'), { id: credential, loginName });
    expect((await session.post('/api/v3/manager/device/list', {})).status).toBe(401);
    await expect(enter(name, PASSWORD)).rejects.toThrow('401');
    expect((await enter(loginName, PASSWORD)).tenant).toBe('here');
  });

  it('ends when it is disabled or deleted', async () => {
    for (const end of ['disable', 'delete']) {
      const { session, credential } = await worker(tenant, [LIST]);
      if (end === 'delete') await tenant.data(path('delete'), {}, { id: credential });
      else await tenant.data(path('update'), { id: credential, enableFlag: 'DISABLE' });
      expect((await session.post('/api/v3/manager/device/list', {})).status, end).toBe(401);
    }
  });
});

describe('403', () => {
  it('keeps the weak from the logins of the strong', async () => {
    const clerk = await worker(tenant, [
      'svc-center-auth:local_credential:add',
      'svc-center-auth:local_credential:update',
      'svc-center-auth:local_credential:delete',
    ]);
    const strong = await worker(tenant, [LIST]);
    const boss = await addPerson(tenant);
    await bind(tenant, await roleId(tenant, 'admin'), boss.principalId);
    const { session } = clerk;
    const body = { principalId: boss.principalId, loginName: fresh('person'), password: FIRST };
    const answers = [
      await session.post(path('add'), body),
      await session.post(path('reset_password'), { id: strong.credential, password: FIRST }),
      await session.post(path('update'), { id: strong.credential, password: FIRST }),
      await session.post(path('delete'), {}, { id: strong.credential }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  });
});

describe('409', () => {
  it('keeps the own login and the one of the last admin', async () => {
    const mine = z
      .object({ records: z.array(z.object({ id: z.string() })) })
      .parse(await tenant.data(path('list'), { loginName: 'here-admin' })).records[0];
    expect((await tenant.post(path('delete'), {}, { id: mine?.id ?? '' })).status).toBe(409);
    const disable = { id: mine?.id, enableFlag: 'DISABLE' };
    expect((await tenant.post(path('update'), disable)).status).toBe(409);
    const person = await addPerson(tenant);
    await addLogin(tenant, person);
  });
});
