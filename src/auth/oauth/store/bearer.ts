import { z } from 'zod';

import type { Queries } from '../../../db/connect.ts';
import { momentAcrossTenants } from '../../../db/tenant.ts';
import type { App, Caller } from '../../../kernel/app/app.ts';
import { NotAuthenticated, WrongAudience } from '../../../kernel/errors.ts';
import { accountStatus } from '../../credential/account-status.ts';
import { isRevoked } from '../../credential/denylist.ts';
import { digestOf, type Verified, verifiedCaller } from '../../credential/token-cache.ts';
import { verifyKey } from '../../credential/verify-key.ts';
import { type Audience, resourceOf } from '../../permission/audience.ts';
import { isKey } from '../../permission/key-text.ts';
import { versionOf } from '../../permission/present.ts';
import { isScope } from '../../permission/scope.ts';
import { grantedMs, personOf } from './account.ts';
import { findClient, peopleClientStands } from './client-metadata.ts';
import { storedId } from './stored-id.ts';

const MAX_TOKEN_LENGTH = 256;
/** Both kinds use the same digest, so one query finds either. */
const KINDS = ['ClientCredentials', 'AccessToken'];

const Token = z.object({
  clientId: z.string(),
  /** The user that granted access; absent when a program acts for its service account. */
  accountId: z.string().optional(),
  grantId: z.string().default(''),
  aud: z.string(),
  scope: z.string().default(''),
  issuedMs: z.number(),
});

/**
 * The user or service account behind a key or an opaque access token for `audience`; throws
 * NotAuthenticated (401), WrongAudience for one of the other audience that would hold there. Client, account,
 * membership and logout of a token are those of the caller's `version`; `expiresAt` is in ms since the epoch (RFC 6750 3.1,
 * RFC 8707 2).
 */
export async function authenticateBearer(
  app: App,
  token: string,
  audience: Audience,
): Promise<Caller & { expiresAt: number }> {
  if (token.length > MAX_TOKEN_LENGTH) throw new NotAuthenticated();
  const asked = resourceOf(app, audience);
  return verifiedCaller(
    app,
    digestOf('bearer', token),
    () => (isKey(token) ? verifyKey(app, token) : verify(app, token)),
    ({ caller, resource: aud = '' }) => {
      if (aud !== asked) throw new WrongAudience(aud, asked, caller);
    },
  );
}

function verify(app: App, token: string): Promise<Verified> {
  const now = app.clock.now();
  return momentAcrossTenants(app.db, 'oauth', async (q) => {
    const row = await q
      .selectFrom('svc_oauth_store')
      .select(['payload', 'expiresAt'])
      .where('kind', 'in', KINDS)
      .where('id', '=', storedId('AccessToken', token))
      .executeTakeFirst();
    const endsMs = row?.expiresAt?.getTime() ?? 0;
    const payload = Token.safeParse(row?.payload);
    if (endsMs <= now || !payload.success) throw new NotAuthenticated();
    const { accountId, aud } = payload.data;
    const verified =
      accountId === undefined
        ? await programOf(app, q, payload.data)
        : await personBehind(app, q, accountId, payload.data);
    const version = await versionOf(app, q, verified.caller.tenantId);
    return { ...verified, resource: aud, version, endsMs: Math.min(endsMs, verified.endsMs) };
  });
}

type TokenFacts = Omit<z.output<typeof Token>, 'accountId'>;
type Behind = Omit<Verified, 'version'>;

/** A user's client has the user's permissions, narrowed by the granted scopes; it never counts as a login. */
async function personBehind(
  app: App,
  q: Queries,
  accountId: string,
  { clientId, scope, issuedMs, grantId }: TokenFacts,
): Promise<Behind> {
  const person = personOf(accountId);
  const found = person && (await accountStatus(q, person.tenantId, person.principalId));
  if (!found || isRevoked(issuedMs, found.revokedBeforeMs)) throw new NotAuthenticated();
  // Refuses a token stored while its grant was being revoked.
  if ((await grantedMs(q, grantId)) === undefined) throw new NotAuthenticated();
  if (!(await peopleClientStands(app, q, clientId))) throw new NotAuthenticated();
  return {
    caller: {
      ...person,
      principalType: 'USER',
      name: found.loginName,
      via: 'oauth',
      clientId,
      scopes: scope.split(' ').filter(isScope),
    },
    endsMs: Number.POSITIVE_INFINITY,
  };
}

async function programOf(
  app: App,
  q: Queries,
  { clientId, scope, issuedMs }: TokenFacts,
): Promise<Behind> {
  const client = await findClient(app, q, clientId);
  if (!client || isRevoked(issuedMs, client.revokedBeforeMs)) throw new NotAuthenticated();
  const registered = new Set(client.scopes.split(' '));
  return {
    caller: {
      tenantId: client.tenantId,
      principalId: client.principalId,
      principalType: 'SERVICE_ACCOUNT',
      name: client.serviceAccountName,
      via: 'oauth',
      clientId,
      scopes: scope.split(' ').filter((item) => registered.has(item)),
    },
    endsMs: client.expireTime?.getTime() ?? Number.POSITIVE_INFINITY,
    use: {
      table: 'svc_service_account',
      ids: [client.accountId],
      atMs: client.lastUsedTime?.getTime() ?? null,
    },
  };
}
