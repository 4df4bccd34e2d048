import type { App, Caller } from '../../app.ts';
import { NotAuthenticated, WrongAudience } from '../../core/errors.ts';
import { EnableFlag } from '../../core/input/flag.ts';
import type { Queries } from '../../db/connect.ts';
import { acrossTenants } from '../../db/tenant.ts';
import { accountStatus } from '../login/account-status.ts';
import { AUDIENCES, type Audience, resourceOf } from '../oauth/audience.ts';
import { isScope } from '../oauth/scope.ts';
import { permissionsOf } from '../rights/permission.ts';
import { digestOfKey } from './key-text.ts';

const USED_EVERY_MS = 60_000;

/**
 * The user or service account a key acts for; throws NotAuthenticated (401), WrongAudience for a key of the
 * other audience. Read at every call, so that a revoked key ends at once in every process. A logout does
 * not end keys; disabling or removing the owner does.
 */
export async function authenticateKey(
  app: App,
  text: string,
  audience: Audience,
): Promise<Caller & { expiresAt: number }> {
  const now = app.clock.now();
  const { expireTime, ...caller } = await acrossTenants(app.db, 'oauth', async (q) => {
    const key = await q
      .selectFrom('svc_key')
      .select(['id', 'tenantId', 'principalId', 'principalType', 'keyPrefix', 'scopes'])
      .select(['expireTime', 'lastUsedTime', 'audience'])
      .where('keyDigest', '=', digestOfKey(text))
      .where('expireTime', '>', new Date(now))
      .executeTakeFirst();
    const name = key && (await ownerOf(q, key, now));
    if (!key || name === undefined) throw new NotAuthenticated();
    if (key.audience !== audience) {
      const named = AUDIENCES.find((one) => one === key.audience);
      throw named === undefined
        ? new NotAuthenticated()
        : new WrongAudience(resourceOf(app, named), resourceOf(app, audience));
    }
    // Written at most once a minute, however busy the client is.
    if (!key.lastUsedTime || key.lastUsedTime.getTime() <= now - USED_EVERY_MS) {
      await q
        .updateTable('svc_key')
        .set({ lastUsedTime: new Date(now) })
        .where('id', '=', key.id)
        .execute();
    }
    const { tenantId, principalId, principalType, keyPrefix, scopes } = key;
    const rights = { clientId: keyPrefix, scopes: scopes.filter(isScope) };
    const via = 'key' as const;
    return {
      tenantId,
      principalId,
      principalType,
      name,
      via,
      ...rights,
      expireTime: key.expireTime,
    };
  });
  const permissions = await permissionsOf(app, caller.tenantId, caller.principalId);
  return { ...caller, permissions, expiresAt: expireTime.getTime() };
}

type Owner = { tenantId: string; principalId: string; principalType: 'USER' | 'SERVICE_ACCOUNT' };

/** The name of an active owner; undefined when account, tenant or membership is no longer active. */
async function ownerOf(
  q: Queries,
  { tenantId, principalId, principalType }: Owner,
  now: number,
): Promise<string | undefined> {
  if (principalType === 'USER') return (await accountStatus(q, tenantId, principalId))?.loginName;
  const account = await q
    .selectFrom('svc_service_account as account')
    .innerJoin('svc_tenant as tenant', 'tenant.id', 'account.tenantId')
    .innerJoin('svc_principal as principal', 'principal.id', 'account.principalId')
    .innerJoin('svc_tenant_membership as membership', (on) =>
      on
        .onRef('membership.principalId', '=', 'account.principalId')
        .onRef('membership.tenantId', '=', 'account.tenantId'),
    )
    .select('account.serviceAccountName')
    .where('account.tenantId', '=', tenantId)
    .where('account.principalId', '=', principalId)
    .where('account.enableFlag', '=', EnableFlag.ENABLE)
    .where('tenant.enableFlag', '=', EnableFlag.ENABLE)
    .where('principal.enableFlag', '=', EnableFlag.ENABLE)
    .where('principal.lockedFlag', '=', 0)
    .where('membership.membershipStatus', '=', 'ACTIVE')
    .where((row) =>
      row.or([
        row('account.expireTime', 'is', null),
        row('account.expireTime', '>', new Date(now)),
      ]),
    )
    .executeTakeFirst();
  return account?.serviceAccountName;
}
