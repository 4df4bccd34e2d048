import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { routes } from '../../src/auth/routes.ts';
import { fieldsOf } from '../support/cases/input-shape.ts';
import { addLogin, addPerson, changePassword, PASSWORD } from '../support/people/accounts.ts';
import { type Answer, login, request, type Session } from '../support/people/session.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const auth = '/api/v3/auth';
const FIRST = 'a first password';

const world = startedWorld();
const here = prepared(() => world.tenant('here'));
const other = prepared(() => world.tenant('other'));

/** A login and user of the other tenant. */
async function theirName(): Promise<string> {
  const person = await addPerson(other);
  await addLogin(other, person);
  return person.name;
}

const post = (path: string, body: object) => here.post(`${auth}${path}`, body);
const open = (path: string, body: object) =>
  request(world.base, 'POST', `${auth}${path}`, { body });
const tokenOf = (session: Session) =>
  z
    .object({ salt: z.string(), token: z.string() })
    .parse(JSON.parse(session.headers['x-auth-token'] ?? ''));

/** What this tenant can ask about a name, for every route that takes one. */
const ASKED: Readonly<Record<string, (name: string) => Promise<Answer>>> = {
  '/token/salt': (name) => open('/token/salt', { tenant: 'here', name }),
  '/token/generate': (name) =>
    open('/token/generate', { tenant: 'here', name, salt: 'a-salt', password: PASSWORD }),
  '/session/begin': (name) => open('/session/begin', { tenant: 'here', name, password: PASSWORD }),
  '/token/change_password': (name) =>
    open('/token/change_password', {
      tenant: 'here',
      name,
      password: PASSWORD,
      newPassword: 'another horse 42',
    }),
  '/token/check': (name) => post('/token/check', { tenant: 'here', name, ...tokenOf(here) }),
  '/user_profile/add': (name) => post('/user_profile/add', { userName: name, nickName: name }),
  '/user_profile/update': async (name) => {
    const { id } = await addPerson(here);
    return post('/user_profile/update', { id, userName: name });
  },
  '/user_profile/get_by_name': (name) => here.get(`${auth}/user_profile/get_by_name`, { name }),
  '/user_profile/list': (name) => post('/user_profile/list', { userName: name }),
  '/principal/list': (name) => post('/principal/list', { principalName: name }),
  '/local_credential/add': async (name) => {
    const { principalId } = await addPerson(here);
    return post('/local_credential/add', { principalId, loginName: name, password: FIRST });
  },
  '/local_credential/update': async (name) => {
    const id = await addLogin(here, await addPerson(here));
    return post('/local_credential/update', { id, loginName: name });
  },
  '/local_credential/check': (name) => here.get(`${auth}/local_credential/check`, { name }),
  '/local_credential/list': (name) => post('/local_credential/list', { loginName: name }),
};

describe('a name of another tenant', () => {
  it('is asked for here through every route that takes a login or user name', () => {
    const takes = routes.filter(({ input }) =>
      fieldsOf(input).some(({ name }) => /^(name|loginName|userName|principalName)$/.test(name)),
    );
    expect(takes.map(({ path }) => path).toSorted()).toEqual(Object.keys(ASKED).toSorted());
  });

  it.each(Object.keys(ASKED))('answers like one that nobody has: %s', async (path) => {
    const theirs = await theirName();
    // As long as theirs, so that what is echoed differs in nothing but the name.
    const none = theirs.replace(/^person/, 'nobody');
    const shown = async (name: string) => {
      const answer = await ASKED[path]?.(name);
      return {
        status: answer?.status,
        text: JSON.stringify(answer?.body)
          .replaceAll(name, 'NAME')
          .replaceAll(/"\d+"/g, '"ID"')
          .replaceAll(/[\da-f-]{36}/g, 'UUID'),
      };
    };
    expect(await shown(theirs)).toEqual(await shown(none));
  });

  it('may be had here too: each logs in to the own tenant with the own password', async () => {
    const name = await theirName();
    const person = await addPerson(here, name);
    const credential = await here.data(`${auth}/local_credential/add`, {
      principalId: person.principalId,
      loginName: name,
      password: FIRST,
    });
    await changePassword(here, name, FIRST, 'my own password 1');
    expect((await login(world.base, 'here', name, 'my own password 1')).tenantId).toBe(
      here.tenantId,
    );
    expect((await login(world.base, 'other', name, PASSWORD)).tenantId).toBe(other.tenantId);
    await expect(login(world.base, 'other', name, 'my own password 1')).rejects.toThrow('401');
    expect(typeof credential).toBe('string');
  });
});

describe('a name of the own tenant', () => {
  it('is taken, however it is written, until its owner is gone', async () => {
    const person = await addPerson(here);
    await addLogin(here, person);
    const second = await addPerson(here);
    const again = () =>
      post('/local_credential/add', {
        principalId: second.principalId,
        loginName: person.name.toUpperCase(),
        password: FIRST,
      });
    const taken = await again();
    expect([taken.status, taken.body.message]).toEqual([409, 'The login name is already taken']);
    expect(
      await here.data(`${auth}/local_credential/check`, undefined, { name: person.name }),
    ).toBe(true);
    await here.data(`${auth}/user_profile/delete`, {}, { id: person.id });
    expect((await again()).status).toBe(200);
  });

  it('keeps a person of that name of another tenant from becoming a member', async () => {
    const name = await theirName();
    await addPerson(here, name);
    const { principalId } = z
      .object({ principalId: z.string() })
      .parse(await other.data(`${auth}/user_profile/get_by_name`, undefined, { name }));
    const joining = await world.admin.post(`${auth}/tenant_membership/add`, {
      principalId,
      tenantId: here.tenantId,
    });
    expect([joining.status, joining.body.message]).toEqual([
      409,
      'The login or user name is already taken',
    ]);
  });

  it('is taken once by two at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const name = fresh('race');
      const both = [0, 1].map(() => post('/user_profile/add', { userName: name, nickName: name }));
      const statuses = (await Promise.all(both)).map(({ status }) => status);
      expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409]);
    }
  });
});
