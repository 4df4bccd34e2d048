import { z } from 'zod';

import type { App, Caller } from '../../app.ts';
import { NotAuthenticated, WrongAudience } from '../../core/errors.ts';
import type { Queries } from '../../db/connect.ts';
import { acrossTenants } from '../../db/tenant.ts';
import { authenticateKey } from '../key/authenticate-key.ts';
import { isKey } from '../key/key-text.ts';
import { accountStatus } from '../login/account-status.ts';
import { permissionsOf } from '../rights/permission.ts';
import { isRevoked } from '../token/denylist.ts';
import { digestOf, type Verified } from '../token/token-cache.ts';
import { grantedMs, personOf } from './account.ts';
import { storedId } from './adapter.ts';
import { type Audience, resourceOf } from './audience.ts';
import { findClient, peopleClientStands } from './client/client-metadata.ts';
import { isScope } from './scope.ts';

const MAX_TOKEN_LENGTH = 256;
const USED_EVERY_MS = 60_000;
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
 * NotAuthenticated (401), WrongAudience for one of the other audience. Client, account, membership and
 * logout of a token are read at most a second ago; `expiresAt` is in ms since the epoch (RFC 6750 3.1, RFC
 * 8707 2).
 */
export async function authenticateBearer(
  app: App,
  token: string,
  audience: Audience,
): Promise<Caller & { expiresAt: number }> {
  if (token.length > MAX_TOKEN_LENGTH) throw new NotAuthenticated();
  if (isKey(token)) return authenticateKey(app, token, audience);
  const key = digestOf('bearer', audience, token);
  let verified = app.caches.verifiedTokens.get(key);
  if (!verified) {
    verified = await verify(app, token, audience);
    app.caches.verifiedTokens.set(key, verified, verified.endsMs);
  }
  const { caller, endsMs } = verified;
  const permissions = await permissionsOf(app, caller.tenantId, caller.principalId);
  return { ...caller, permissions, expiresAt: endsMs };
}

function verify(app: App, token: string, audience: Audience): Promise<Verified> {
  const now = app.clock.now();
  return acrossTenants(app.db, 'oauth', async (q) => {
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
    const asked = resourceOf(app, audience);
    if (aud !== asked) throw new WrongAudience(aud, asked);
    const caller =
      accountId === undefined
        ? await programOf(app, q, payload.data)
        : await personBehind(app, q, accountId, payload.data);
    return { endsMs, caller };
  });
}

type TokenFacts = Omit<z.output<typeof Token>, 'accountId'>;

/** A user's client has the user's permissions, narrowed by the granted scopes; it never counts as a login. */
async function personBehind(
  app: App,
  q: Queries,
  accountId: string,
  { clientId, scope, issuedMs, grantId }: TokenFacts,
): Promise<Verified['caller']> {
  const person = personOf(accountId);
  const found = person && (await accountStatus(q, person.tenantId, person.principalId));
  if (!found || isRevoked(issuedMs, found.revokedBeforeMs)) throw new NotAuthenticated();
  // Refuses a token stored while its grant was being revoked.
  if ((await grantedMs(q, grantId)) === undefined) throw new NotAuthenticated();
  if (!(await peopleClientStands(app, q, clientId))) throw new NotAuthenticated();
  return {
    ...person,
    principalType: 'USER',
    name: found.loginName,
    via: 'oauth',
    clientId,
    scopes: scope.split(' ').filter(isScope),
  };
}

async function programOf(
  app: App,
  q: Queries,
  { clientId, scope, issuedMs }: TokenFacts,
): Promise<Verified['caller']> {
  const now = app.clock.now();
  const client = await findClient(app, q, clientId);
  if (!client || isRevoked(issuedMs, client.revokedBeforeMs)) throw new NotAuthenticated();
  if (!client.lastUsedTime || client.lastUsedTime.getTime() < now - USED_EVERY_MS) {
    await q
      .updateTable('svc_service_account')
      .set({ lastUsedTime: new Date(now) })
      .where('id', '=', client.accountId)
      .execute();
  }
  const registered = new Set(client.scopes.split(' '));
  return {
    tenantId: client.tenantId,
    principalId: client.principalId,
    principalType: 'SERVICE_ACCOUNT',
    name: client.serviceAccountName,
    via: 'oauth',
    clientId,
    scopes: scope.split(' ').filter((item) => registered.has(item)),
  };
}
