import { z } from 'zod';

import type { Audience } from '../../../src/auth/permission/audience.ts';
import { fresh } from '../world/fresh-name.ts';
import type { Session } from './session.ts';

type Wanted = {
  /** Scopes asked for, and registered for the client. */
  scope: string;
  roleCode?: string;
  /** What the token is for: MCP unless said otherwise. */
  audience?: Audience;
  /** Of the service account and its client; one nobody else has unless given. */
  name?: string;
};

const Account = z.object({ principalId: z.string() });
const Registered = z.object({ client_id: z.string(), client_secret: z.string() });
const Granted = z.object({ access_token: z.string() });

/** An access token of a new service account, got as a program gets it: client credentials. */
export const bearerFor = async (session: Session, wanted: Wanted): Promise<string> =>
  (await programFor(session, wanted)).token;

export type Program = {
  token: string;
  clientId: string;
  principalId: string;
  /** How it shows that it is the client. */
  authorization: string;
};

/** As `bearerFor`, with who the program is. */
export async function programFor(session: Session, wanted: Wanted): Promise<Program> {
  const { scope, roleCode = 'agent', name = fresh('agent') } = wanted;
  const auth = '/api/v3/auth';
  const id = await session.data(`${auth}/service_account/add`, {
    serviceAccountName: name,
    roleCode,
  });
  const account = Account.parse(
    await session.data(`${auth}/service_account/get_by_id`, undefined, { id: String(id) }),
  );
  const client = Registered.parse(
    await session.data(`${auth}/mcp/client/register`, {
      client_name: name,
      scope,
      service_account_principal_id: account.principalId,
    }),
  );
  const secret = Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64');
  const authorization = `Basic ${secret}`;
  const token = await tokenFor(session.base, authorization, wanted);
  return { token, clientId: client.client_id, principalId: account.principalId, authorization };
}

/** Another token of a program. */
export async function tokenFor(
  base: string,
  authorization: string,
  { scope, audience = 'mcp' }: Wanted,
): Promise<string> {
  const response = await fetch(`${base}/oauth2/token`, {
    method: 'POST',
    headers: { authorization },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      scope,
      resource: base + { mcp: '/mcp', api: '/api/v3' }[audience],
    }),
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) throw new Error(`no token: ${response.status} ${await response.text()}`);
  return Granted.parse(await response.json()).access_token;
}
