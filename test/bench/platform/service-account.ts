import { z } from 'zod';

import type { Session } from '../../support/people/session.ts';

const AT_ONCE = 8;

const Account = z.object({ principalId: z.string() });
const Client = z.object({ client_id: z.string(), client_secret: z.string() });
const Granted = z.object({ access_token: z.string() });

/** Tokens for `resource` (15 min) of new service accounts of the session's tenant. */
export async function serviceAccountTokens(
  session: Session,
  resource: string,
  count: number,
): Promise<string[]> {
  const tokens: string[] = [];
  while (tokens.length < count) {
    const next = Array.from({ length: Math.min(AT_ONCE, count - tokens.length) }, (_, at) =>
      serviceAccountToken(session, resource, `bench-${tokens.length + at}`),
    );
    tokens.push(...(await Promise.all(next)));
  }
  return tokens;
}

/**
 * The way of a program (docs/specification/authorization.md, Client credentials): an account, a client of it,
 * its client-credentials token.
 */
async function serviceAccountToken(session: Session, resource: string, name: string) {
  const auth = '/api/v3/auth';
  const id = await session.data(`${auth}/service_account/add`, { serviceAccountName: name });
  const { principalId } = Account.parse(
    await session.data(`${auth}/service_account/get_by_id`, undefined, { id: String(id) }),
  );
  const { client_id, client_secret } = Client.parse(
    await session.data(`${auth}/mcp/client/register`, {
      client_name: name,
      grant_types: ['client_credentials'],
      scope: 'svc:read svc:read-device svc:propose svc:chat',
      service_account_principal_id: principalId,
    }),
  );
  const answer = await fetch(`${session.base}/oauth2/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
    },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource }),
    signal: AbortSignal.timeout(30_000),
  });
  return Granted.parse(await answer.json()).access_token;
}
