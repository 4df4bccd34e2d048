import { addLogin, addPerson, bind, PASSWORD, roleId } from '../../people/accounts.ts';
import { programFor } from '../../people/bearer.ts';
import { clients } from '../../people/mcp.ts';
import { login, type Session } from '../../people/session.ts';

const SCOPE = 'svc:read svc:read-device svc:propose';
const CLIENT = 'client 2 pinned to 2026-07-28';

/** Somebody of the plant, logged in, with one of the built-in roles. */
export async function personOf(session: Session, name: string, role: string): Promise<Session> {
  const person = await addPerson(session, name);
  await bind(session, await roleId(session, role), person.principalId);
  await addLogin(session, person);
  return login(session.base, session.tenant, name, PASSWORD);
}

/** A program of the plant, connected to its tools. */
export async function agentOf(session: Session, name: string) {
  const { token } = await programFor(session, { scope: SCOPE, name });
  const connect = clients[CLIENT];
  if (!connect) throw new Error(`there is no ${CLIENT}`);
  return connect(session.base, token);
}
