import { acrossTenants } from '../../db/tenant.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { NotAuthenticated } from '../../kernel/errors.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import type { HashClient } from '../credential/hash-gate.ts';
import { verifyPassword } from '../credential/password.ts';
import { MAX_SALT_LENGTH } from '../credential/token.ts';
import { type Attempt, recordFailure } from './failure.ts';
import type { Attempter } from './throttle.ts';

type Credential = {
  id: string;
  principalId: string;
  passwordHash: string;
  passwordExpireTime: Date | null;
  requirePasswordChange: number;
  usable: boolean;
};

type Facts = {
  tenant: { id: string; enabled: boolean } | null;
  credential: Credential | null;
  isMember: boolean;
  salt: string | null;
  passwordMatches: boolean;
};

/** 401: the same status, code and message for every check of a login (docs/specification/login.md 4). */
export class LoginRefused extends NotAuthenticated {
  constructor() {
    super('Tenant, login or password is wrong');
  }
}

/** The login that passed every check. */
export type Passed = { tenantId: string; credential: Credential };

/** docs/specification/login.md 4, in its order. The first failing check is logged, never answered. */
const CHECKS: readonly { name: string; holds(facts: Facts): boolean }[] = [
  { name: 'tenant exists and is enabled', holds: ({ tenant }) => tenant?.enabled === true },
  { name: 'credential is found', holds: ({ credential }) => credential?.usable === true },
  { name: 'principal is a member', holds: ({ isMember }) => isMember },
  { name: 'salt is not empty', holds: ({ salt }) => salt === null || isSalt(salt) },
  { name: 'password verifies', holds: ({ passwordMatches }) => passwordMatches },
];

const isSalt = (salt: string): boolean => salt.trim() !== '' && salt.length <= MAX_SALT_LENGTH;

/** Logins are looked up trimmed and in lower case (docs/specification/login.md 4.2). */
export const normalizeLogin = (name: string): string => name.trim().toLowerCase();

/**
 * Runs the five checks; undefined when one fails. Every attempt runs the same queries and one password
 * hash, so that timing reveals no more than the answer; a wrong password is recorded at the credential.
 * `salt` null skips that check (change of password).
 */
export async function checkLogin(
  app: App,
  attempt: Attempt,
  client: HashClient,
): Promise<Passed | undefined> {
  const known = await lookUp(app, attempt);
  const passwordMatches = await verifyPassword(
    attempt.password,
    // Without membership the hash is not used: its algorithm could take another time.
    known.isMember ? (known.credential?.passwordHash ?? null) : null,
    client,
  );
  const facts: Facts = { ...known, salt: attempt.salt, passwordMatches };
  const failed = CHECKS.find((check) => !check.holds(facts));
  if (!failed && facts.tenant && facts.credential) {
    return { tenantId: facts.tenant.id, credential: facts.credential };
  }
  app.log.info({ tenant: attempt.tenant, failed: failed?.name }, 'login refused');
  const { tenant, credential, isMember } = facts;
  await recordFailure(app, {
    ...attempt,
    source: client.source,
    tenantId: tenant?.id ?? null,
    // A tenant must not learn that the name exists in another tenant.
    credential: isMember ? credential : null,
    countsAtCredential: failed?.name === 'password verifies',
  });
  return undefined;
}

function lookUp(app: App, { tenant: code, name }: Attempt) {
  return acrossTenants(app.db, 'login', async (q) => {
    const tenant = await q
      .selectFrom('svc_tenant')
      .select(['id', 'enableFlag'])
      .where('tenantCode', '=', code)
      .executeTakeFirst();
    const credential = await q
      .selectFrom('svc_local_credential as credential')
      .innerJoin('svc_principal as principal', 'principal.id', 'credential.principalId')
      .leftJoin('svc_tenant_membership as membership', (join) =>
        join
          .onRef('membership.principalId', '=', 'credential.principalId')
          .on('membership.tenantId', '=', tenant?.id ?? '0')
          .on('membership.membershipStatus', '=', 'ACTIVE'),
      )
      .select([
        'membership.id as membershipId',
        'credential.id',
        'credential.principalId',
        'credential.passwordHash',
        'credential.passwordExpireTime',
        'credential.requirePasswordChange',
        'credential.enableFlag',
        'principal.enableFlag as principalEnableFlag',
        'principal.lockedFlag',
        'principal.principalType',
      ])
      .where('credential.credentialType', '=', 'PASSWORD')
      .where('credential.loginNameNormalized', '=', normalizeLogin(name))
      // Login names are unique within a tenant only; the member of this tenant sorts first.
      .orderBy('membership.id', 'asc')
      .limit(1)
      .executeTakeFirst();
    return {
      tenant: tenant ? { id: tenant.id, enabled: tenant.enableFlag === EnableFlag.ENABLE } : null,
      credential: credential
        ? {
            ...credential,
            // Only users log in; service accounts use OAuth (docs/specification/actions.md, Confirm).
            usable:
              credential.enableFlag === EnableFlag.ENABLE &&
              credential.principalEnableFlag === EnableFlag.ENABLE &&
              credential.lockedFlag === 0 &&
              credential.principalType === 'USER',
          }
        : null,
      isMember: credential?.membershipId != null,
    };
  });
}

/** The source that password hashing counts against: address of a public call, else the principal. */
export const sourceOfCaller = ({ source, tenantId, principalId }: Caller): string =>
  source ?? `principal ${tenantId} ${principalId}`;

/** The login name that is tried, and the source of the attempt. */
export const attempterOf = (
  caller: Caller,
  { tenant, name }: { tenant: string; name: string },
): Attempter & { tenant: string; login: string } => ({
  name: JSON.stringify([tenant, normalizeLogin(name)]),
  tenant,
  login: normalizeLogin(name),
  source: sourceOfCaller(caller),
});
