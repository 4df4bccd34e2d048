import { z } from 'zod';

import { worker } from '../../people/accounts.ts';
import { bearerFor } from '../../people/bearer.ts';
import { beginConsole } from '../../people/console-session.ts';
import { login, type Session } from '../../people/session.ts';
import type { World } from '../../world/app.ts';
import { testEnvironment } from '../../world/environment.ts';
import { fresh } from '../../world/fresh-name.ts';

const WRITES = 'svc:read svc:read-device svc:propose';
const Key = z.object({ key: z.string() });

/** The header of a credential that is no interactive login of the tenant. */
export type Credential = { kind: string; headers: Record<string, string> };

const bearer = (kind: string, token: string): Credential => ({
  kind,
  headers: { authorization: `Bearer ${token}` },
});

/** One of each kind; `mcp` is the token that proposes. */
export async function credentials(world: World, mcp: string): Promise<Credential[]> {
  const { admin, base } = world;
  const keyOf = async (owner: Session, more: object) =>
    Key.parse(await owner.data('/api/v3/auth/key/add', { keyName: fresh('key'), ...more })).key;
  const other = await world.tenant(fresh('other'));
  const gone = await login(base, 'default', 'admin', testEnvironment.SVC_ADMIN_PASSWORD);
  const [, claims = ''] = String(admin.headers['x-auth-token']).split('.');
  const { token } = z
    .object({ token: z.string() })
    .parse(JSON.parse(String(admin.headers['x-auth-token'])));
  return [
    bearer('MCP token of the proposer', mcp),
    bearer('MCP token of another program', await bearerFor(admin, { scope: WRITES })),
    bearer('API token of a program', await bearerFor(admin, { scope: WRITES, audience: 'api' })),
    bearer('API key of a person', await keyOf(admin, { scopes: WRITES.split(' ') })),
    bearer('API key of an administrating account', await keyOf(admin, await accountOf(admin))),
    bearer('chat key of a person', await keyOf(admin, { scopes: ['svc:chat'] })),
    bearer('login token as a bearer', token),
    bearer('unsigned token', `e30.${claims}.`),
    bearer('tampered token', `${mcp.slice(0, -4)}AAAA`),
    bearer('key of another tenant', await keyOf(other, { scopes: WRITES.split(' ') })),
    { kind: 'login of another tenant', headers: other.headers },
    {
      kind: 'login of another tenant under our name',
      headers: { ...other.headers, 'x-auth-tenant': 'default', 'x-auth-login': 'admin' },
    },
    { kind: 'expired login', headers: await ended(gone) },
    { kind: 'none', headers: {} },
    ...(await ofLogins(world)),
  ];
}

/** A key for a service account that has every right of the tenant. */
async function accountOf({ data }: Session) {
  const id = await data('/api/v3/auth/service_account/add', {
    serviceAccountName: fresh('account'),
    roleCode: 'admin',
  });
  const account = await data('/api/v3/auth/service_account/get_by_id', undefined, {
    id: String(id),
  });
  const { principalId } = z.object({ principalId: z.string() }).parse(account);
  return { serviceAccountPrincipalId: principalId, scopes: WRITES.split(' ') };
}

const VIEWS = 'svc-center-agentic:action:get';
const SEND = { 'x-auth-tenant': 'default', 'x-auth-login': 'admin' };

/** Logins of the tenant that a program took a part of, or that may not decide. */
async function ofLogins({ admin, base }: World): Promise<Credential[]> {
  const { cookie, proof, headers } = await beginConsole(base);
  const { token, salt } = z
    .object({ token: z.string(), salt: z.string() })
    .parse(JSON.parse(String(admin.headers['x-auth-token'])));
  const [, claims = '', signature = ''] = token.split('.');
  const none = Buffer.from('{"alg":"none"}').toString('base64url');
  const loginWith = (
    kind: string,
    given: object,
    more: Record<string, string> = {},
  ): Credential => ({
    kind,
    headers: { ...SEND, 'x-auth-token': JSON.stringify(given), ...more },
  });
  const viewer = (await worker(admin, [VIEWS])).session;
  return [
    { kind: 'cookie without its proof', headers: { cookie } },
    { kind: 'cookie with another proof', headers: { cookie, 'x-svc-proof': proof.toUpperCase() } },
    ...['https://evil.example', 'null', 'http://localhost.evil.example'].map((origin) => ({
      kind: `cookie from ${origin}`,
      headers: { ...headers, origin },
    })),
    { kind: 'cookie cross-site', headers: { ...headers, 'sec-fetch-site': 'cross-site' } },
    { kind: 'cookie same-site', headers: { ...headers, 'sec-fetch-site': 'same-site' } },
    { kind: 'cookie beside a bearer', headers: { ...headers, authorization: `Bearer ${token}` } },
    { kind: 'cookie behind a wrong one', headers: { ...headers, cookie: `${cookie}x; ${cookie}` } },
    loginWith('login with alg none', { salt, token: `${none}.${claims}.${signature}` }),
    loginWith('login with another salt', { salt: `${salt}x`, token }),
    { kind: 'login under another name', headers: { ...admin.headers, 'x-auth-login': 'nobody' } },
    { kind: 'login of a viewer', headers: viewer.headers },
  ];
}

/** A login whose token says that it ended long ago; nobody but the platform could sign that. */
async function ended({ headers }: Session): Promise<Record<string, string>> {
  const given = z
    .object({ salt: z.string(), token: z.string() })
    .parse(JSON.parse(String(headers['x-auth-token'])));
  const [head = '', claims = ''] = given.token.split('.');
  const facts = z
    .record(z.string(), z.unknown())
    .parse(JSON.parse(Buffer.from(claims, 'base64url').toString()));
  const past = Buffer.from(JSON.stringify({ ...facts, exp: 1 })).toString('base64url');
  const token = [head, past, given.token.split('.')[2]].join('.');
  return { ...headers, 'x-auth-token': JSON.stringify({ ...given, token }) };
}
