import type { Queries } from '../../db/connect.ts';
import { momentAcrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { NotAuthenticated } from '../../kernel/errors.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { AUDIENCES, resourceOf } from '../permission/audience.ts';
import { digestOfKey } from '../permission/key-text.ts';
import { versionOf } from '../permission/present.ts';
import { isScope } from '../permission/scope.ts';
import { accountStatus } from './account-status.ts';
import type { Verified } from './token-cache.ts';

/**
 * The user or service account a key acts for; throws NotAuthenticated (401). A logout does not end keys; disabling or
 * removing the owner does.
 */
export async function verifyKey(app: App, text: string): Promise<Verified> {
  const now = app.clock.now();
  return momentAcrossTenants(app.db, 'oauth', async (q) => {
    const key = await q
      .selectFrom('svc_key')
      .select(['id', 'tenantId', 'principalId', 'principalType', 'keyPrefix', 'scopes'])
      .select(['expireTime', 'lastUsedTime', 'audience'])
      .where('keyDigest', '=', digestOfKey(text))
      .where('expireTime', '>', new Date(now))
      .executeTakeFirst();
    const audience = AUDIENCES.find((one) => one === key?.audience);
    if (!key || audience === undefined) throw new NotAuthenticated();
    const { tenantId, principalId, principalType } = key;
    const [version, owner] = await Promise.all([versionOf(app, q, tenantId), ownerOf(q, key, now)]);
    if (!owner) throw new NotAuthenticated();
    const caller = {
      tenantId,
      principalId,
      principalType,
      name: owner.name,
      via: 'key' as const,
      clientId: key.keyPrefix,
      scopes: key.scopes.filter(isScope),
    };
    const endsMs = Math.min(key.expireTime.getTime(), owner.endsMs);
    const use = {
      table: 'svc_key' as const,
      ids: [key.id],
      atMs: key.lastUsedTime?.getTime() ?? null,
    };
    return { caller, version, endsMs, use, resource: resourceOf(app, audience) };
  });
}

type Owner = { tenantId: string; principalId: string; principalType: 'USER' | 'SERVICE_ACCOUNT' };

/** The name of an active owner and when it expires (ms); undefined when account, tenant or membership is no longer active. */
async function ownerOf(
  q: Queries,
  { tenantId, principalId, principalType }: Owner,
  now: number,
): Promise<{ name: string; endsMs: number } | undefined> {
  if (principalType === 'USER') {
    const user = await accountStatus(q, tenantId, principalId);
    return user && { name: user.loginName, endsMs: Number.POSITIVE_INFINITY };
  }
  const account = await q
    .selectFrom('svc_service_account as account')
    .innerJoin('svc_tenant as tenant', 'tenant.id', 'account.tenantId')
    .innerJoin('svc_principal as principal', 'principal.id', 'account.principalId')
    .innerJoin('svc_tenant_membership as membership', (on) =>
      on
        .onRef('membership.principalId', '=', 'account.principalId')
        .onRef('membership.tenantId', '=', 'account.tenantId'),
    )
    .select(['account.serviceAccountName', 'account.expireTime'])
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
  return (
    account && {
      name: account.serviceAccountName,
      endsMs: account.expireTime?.getTime() ?? Number.POSITIVE_INFINITY,
    }
  );
}
