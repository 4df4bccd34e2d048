import { z } from 'zod';

import { fresh } from '../world/fresh-name.ts';
import { login, request, type Session } from './session.ts';
import { Id, Records } from './shapes.ts';

const auth = '/api/v3/auth';
const FIRST = 'a first password';
export const PASSWORD = 'a better password';

export type Person = {
  /** Of the profile. */
  id: string;
  principalId: string;
  name: string;
};

export async function addPerson(session: Session, name = fresh('person')): Promise<Person> {
  const id = Id.parse(
    await session.data(`${auth}/user_profile/add`, { userName: name, nickName: name }),
  );
  const { principalId } = z
    .object({ principalId: Id })
    .parse(await session.data(`${auth}/user_profile/get_by_id`, undefined, { id }));
  return { id, principalId, name };
}

/** The id of a role the tenant sees, by its code. */
export async function roleId(session: Session, roleCode: string): Promise<string> {
  const { records } = Records.parse(
    await session.data(`${auth}/role/list`, { roleCode, page: { current: 1, size: 100 } }),
  );
  const found = records.find((role) => role['roleCode'] === roleCode);
  return Id.parse(found?.id);
}

/** A resource's id by its permission code. */
export async function resourceId(session: Session, resourceCode: string): Promise<string> {
  const { records } = Records.parse(
    await session.data(`${auth}/resource/list`, { resourceCode, page: { current: 1, size: 100 } }),
  );
  const found = records.find((resource) => resource['resourceCode'] === resourceCode);
  return Id.parse(found?.id);
}

/** A role of the tenant that holds exactly these codes. */
export async function addRole(session: Session, codes: readonly string[]): Promise<string> {
  const name = fresh('role');
  const role = Id.parse(await session.data(`${auth}/role/add`, { roleName: name, roleCode: name }));
  for (const code of codes) {
    await session.data(`${auth}/role_resource/add`, {
      roleId: role,
      resourceId: await resourceId(session, code),
    });
  }
  return role;
}

export const bind = (session: Session, role: string, principalId: string): Promise<unknown> =>
  session.data(`${auth}/role_principal/add`, { roleId: role, principalId });

/** Gives a person a login and the password nobody else knows, as he would set it himself. */
export async function addLogin(session: Session, { principalId, name }: Person): Promise<string> {
  const credential = Id.parse(
    await session.data(`${auth}/local_credential/add`, {
      principalId,
      loginName: name,
      password: FIRST,
    }),
  );
  await changePassword(session, name, FIRST, PASSWORD);
  return credential;
}

export const changePassword = (session: Session, name: string, old: string, next: string) =>
  request(session.base, 'POST', `${auth}/token/change_password`, {
    body: { tenant: session.tenant, name, password: old, newPassword: next },
  });

/** Somebody of the tenant who holds exactly these codes, logged in. */
export async function worker(
  session: Session,
  codes: readonly string[],
): Promise<Person & { credential: string; role: string; session: Session }> {
  const person = await addPerson(session);
  const role = await addRole(session, codes);
  await bind(session, role, person.principalId);
  const credential = await addLogin(session, person);
  return {
    ...person,
    credential,
    role,
    session: await login(session.base, session.tenant, person.name, PASSWORD),
  };
}
