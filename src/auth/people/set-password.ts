import type { Queries } from '../../db/connect.ts';
import { acrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { NotFound } from '../../kernel/errors.ts';
import { audit } from '../audit/audit.ts';
import { revokeTokens } from '../credential/denylist.ts';
import { demandGoodPassword, hashPassword, passwordExpiry } from '../credential/password.ts';
import { normalizeLogin } from '../login/checks.ts';

/** A key that is still valid. */
type LiveKey = { keyName: string; keyPrefix: string };
type NewPassword = { tenant: string; login: string; password: string; mustChange: boolean };

const MAX_KEYS = 100;

/**
 * Recovers access from the command line: sets a password without the old one. Ends the logins and tokens of
 * the user in every tenant. Keys do not depend on the password and stay valid until they are revoked; they
 * are returned, because a leaked password may come with a leaked key. Throws NotFound (404) for a login the
 * tenant does not have and Unprocessable (422) for a bad password.
 */
export async function setPassword(
  app: App,
  { tenant, login, password, mustChange }: NewPassword,
): Promise<{ keys: LiveKey[] }> {
  demandGoodPassword(password, { names: [login, tenant] });
  const stored = await hashPassword(password);
  const now = app.clock.now();
  return acrossTenants(app.db, 'login', async (q) => {
    const credential = await q
      .selectFrom('svc_local_credential as credential')
      .innerJoin(
        'svc_tenant_membership as membership',
        'membership.principalId',
        'credential.principalId',
      )
      .innerJoin('svc_tenant as tenant', 'tenant.id', 'membership.tenantId')
      .select(['credential.id', 'credential.principalId', 'tenant.id as tenantId'])
      .where('tenant.tenantCode', '=', tenant)
      .where('credential.loginNameNormalized', '=', normalizeLogin(login))
      .executeTakeFirst();
    if (!credential) throw new NotFound(`The login ${login} of the tenant ${tenant}`);
    const { id, principalId, tenantId } = credential;
    await q
      .updateTable('svc_local_credential')
      .set({
        ...stored,
        passwordUpdatedTime: new Date(now),
        passwordExpireTime: passwordExpiry(app),
        requirePasswordChange: mustChange ? 1 : 0,
        failedAttempts: 0,
        operatorId: '0',
        operatorName: 'command line',
        operateTime: new Date(now),
      })
      .where('id', '=', id)
      .execute();
    const memberships = await q
      .selectFrom('svc_tenant_membership')
      .select('tenantId')
      .where('principalId', '=', principalId)
      .orderBy('tenantId')
      .execute();
    for (const membership of memberships) {
      await revokeTokens(q, membership.tenantId, principalId, now);
    }
    await audit(
      app,
      q,
      { tenantId, principalId: '0', principalType: 'SYSTEM' },
      {
        action: 'RESET_PASSWORD',
        resourceType: 'LOCAL_CREDENTIAL',
        resourceId: id,
        resourceName: login,
        detail: { via: 'command line' },
      },
    );
    return { keys: await liveKeys(q, principalId, now) };
  });
}

const liveKeys = (q: Queries, principalId: string, now: number): Promise<LiveKey[]> =>
  q
    .selectFrom('svc_key')
    .select(['keyName', 'keyPrefix'])
    .where('principalId', '=', principalId)
    .where('expireTime', '>', new Date(now))
    .orderBy('id')
    .limit(MAX_KEYS)
    .execute();
