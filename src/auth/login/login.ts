import { z } from 'zod';

import { acrossTenants, momentAcrossTenants } from '../../db/tenant.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { NotAuthenticated, PasswordChangeRequired } from '../../kernel/errors.ts';
import { secret } from '../../kernel/input/secret.ts';
import { Text } from '../../kernel/input/text.ts';
import { audit } from '../audit/audit.ts';
import { accountStatus } from '../credential/account-status.ts';
import { isRevoked } from '../credential/denylist.ts';
import { hashPassword, needsRehash } from '../credential/password.ts';
import { digestOf, type Verified, verifiedCaller } from '../credential/token-cache.ts';
import { signToken, verifyToken } from '../credential/token.ts';
import { versionOf } from '../permission/present.ts';
import { attemptLogin } from './ceiling.ts';
import { attempterOf, checkLogin, LoginRefused, normalizeLogin, type Passed } from './checks.ts';
import type { Attempt } from './failure.ts';
import { AskSalt } from './salt.ts';

/** Checked again in bytes before hashing. */
export const Password = secret(z.string().max(1_024)).meta({ examples: ['Steam-41-kettle'] });

export const AskToken = AskSalt.extend({ salt: Text(256).default(''), password: Password });
export type AskedToken = z.output<typeof AskToken>;

/**
 * A login token for the given tenant, name, salt and password; throws as `checkPassword` does
 * (docs/specification/login.md 2–5).
 */
export async function generate(app: App, caller: Caller, input: AskedToken): Promise<string> {
  return signToken(app, input.salt, await checkPassword(app, caller, input));
}

/**
 * The principal behind tenant, name and password, and the issue time for its tokens (ms since the epoch).
 * Throws NotAuthenticated (401), the same for every failed check, TooManyRequests (429) after repeated
 * failures, and PasswordChangeRequired (docs/specification/login.md 4–5). `salt` null skips that check, for
 * a login that gets no login token.
 */
export async function checkPassword(
  app: App,
  caller: Caller,
  input: Attempt,
): Promise<{ tenantId: string; principalId: string; issuedMs: number }> {
  const who = attempterOf(caller, input);
  const passed = await attemptLogin(app, who, (client) => checkLogin(app, input, client));
  if (!passed) throw new LoginRefused();
  const { tenantId, credential } = passed;
  const issuedMs = await recordSuccess(app, passed, input, who.source);
  const expires = credential.passwordExpireTime?.getTime() ?? Number.POSITIVE_INFINITY;
  if (expires <= app.clock.now()) throw new PasswordChangeRequired('expired');
  if (credential.requirePasswordChange === 1) throw new PasswordChangeRequired('required');
  return { tenantId, principalId: credential.principalId, issuedMs };
}

/** Records the login and rehashes an old hash with Argon2id; returns the issue time for its token. */
async function recordSuccess(
  app: App,
  { tenantId, credential }: Passed,
  { name, password }: Attempt,
  source: string,
) {
  const now = app.clock.now();
  const stronger = (await needsRehash(credential.passwordHash))
    ? await hashPassword(password, { source, isKnown: true })
    : null;
  return acrossTenants(app.db, 'login', async (q) => {
    await q
      .updateTable('svc_local_credential')
      .set({ failedAttempts: 0 })
      .where('id', '=', credential.id)
      .where('failedAttempts', '>', 0)
      .execute();
    if (stronger) {
      await q
        .updateTable('svc_local_credential')
        .set(stronger)
        .where('id', '=', credential.id)
        // Not if the password was changed meanwhile.
        .where('passwordHash', '=', credential.passwordHash)
        .execute();
    }
    await q
      .updateTable('svc_principal')
      .set({ lastLoginTime: new Date(now) })
      .where('id', '=', credential.principalId)
      .execute();
    await audit(
      app,
      q,
      { tenantId, principalId: credential.principalId, principalType: 'USER' },
      {
        action: 'LOGIN',
        resourceType: 'LOCAL_CREDENTIAL',
        resourceId: credential.id,
        resourceName: name,
        detail: { source },
      },
    );
    const revocation = await q
      .selectFrom('svc_token_revocation')
      .select('revokedBeforeMs')
      .where('tenantId', '=', tenantId)
      .where('principalId', '=', credential.principalId)
      .executeTakeFirst();
    // A login in the same millisecond as a logout still gets a valid token.
    return Math.max(now, Number(revocation?.revokedBeforeMs ?? 0) + 1);
  });
}

/** The three headers of a protected call; X-Auth-Tenant is the tenant's code or its id. */
export type LoginHeaders = {
  tenant: string;
  login: string;
  token: { salt: string; token: string };
};

/**
 * The caller behind the three headers of a login (docs/specification/login.md, Headers on protected calls);
 * throws NotAuthenticated (401). Tenant, principal, membership, credential and logout are those of the caller's
 * `version`.
 */
export async function authenticateLogin(app: App, headers: LoginHeaders): Promise<Caller> {
  const { tenant, login, token } = headers;
  const key = digestOf('login', tenant, login, token.salt, token.token);
  return verifiedCaller(app, key, () => verifyLogin(app, token, { tenant, login }));
}

/** The same for a token that no names come with. */
export const authenticateToken = (app: App, token: LoginHeaders['token']): Promise<Caller> =>
  verifiedCaller(app, digestOf('token', token.salt, token.token), () =>
    verifyLogin(app, token, null),
  );

type Names = Pick<LoginHeaders, 'tenant' | 'login'>;

async function verifyLogin(
  app: App,
  token: LoginHeaders['token'],
  names: Names | null,
): Promise<Verified> {
  const { tenantId, principalId, issuedMs, endsMs } = verifyToken(app, token.salt, token.token);
  const [version, found] = await momentAcrossTenants(app.db, 'login', (q) =>
    Promise.all([versionOf(app, q, tenantId), accountStatus(q, tenantId, principalId)]),
  );
  if (!found || isRevoked(issuedMs, found.revokedBeforeMs)) throw new NotAuthenticated();
  if (names && !isNamed(names, { ...found, tenantId })) throw new NotAuthenticated();
  const name = found.loginName;
  const caller = { tenantId, principalId, principalType: 'USER', name, via: 'login' } as const;
  return { caller, version, endsMs };
}

const isNamed = (
  { tenant, login }: Names,
  found: { tenantCode: string; tenantId: string; loginNameNormalized: string },
): boolean =>
  (found.tenantCode === tenant || found.tenantId === tenant) &&
  found.loginNameNormalized === normalizeLogin(login);
