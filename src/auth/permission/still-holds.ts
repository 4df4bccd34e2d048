import type { Queries } from '../../db/connect.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { loadCodes, WILDCARD } from './permission.ts';

/** A permission of a principal in a tenant, to be checked without a call of that principal. */
export type Held = { tenantId: string; principalId: string; code: string };

/**
 * Whether a user or service account is still an enabled member with the permission at `now` (milliseconds),
 * read from the database without a cache.
 */
export async function stillHolds(
  q: Queries,
  { tenantId, principalId, code }: Held,
  now: number,
): Promise<boolean> {
  const [member, codes] = await Promise.all([
    memberOf(q, tenantId, principalId),
    loadCodes(q, tenantId, principalId),
  ]);
  if (!member || (member.enableFlag ?? EnableFlag.ENABLE) !== EnableFlag.ENABLE) return false;
  if (member.expireTime && member.expireTime.getTime() <= now) return false;
  return codes.has(code) || codes.has(WILDCARD);
}

/** The account columns of an enabled member, null for a user; undefined for no member. */
const memberOf = (q: Queries, tenantId: string, principalId: string) =>
  q
    .selectFrom('svc_tenant_membership as membership')
    .innerJoin('svc_tenant as tenant', 'tenant.id', 'membership.tenantId')
    .innerJoin('svc_principal as principal', 'principal.id', 'membership.principalId')
    .leftJoin('svc_service_account as account', (join) =>
      join
        .onRef('account.principalId', '=', 'membership.principalId')
        .onRef('account.tenantId', '=', 'membership.tenantId'),
    )
    .select(['account.enableFlag', 'account.expireTime'])
    .where('membership.tenantId', '=', tenantId)
    .where('membership.principalId', '=', principalId)
    .where('membership.membershipStatus', '=', 'ACTIVE')
    .where('tenant.enableFlag', '=', EnableFlag.ENABLE)
    .where('principal.enableFlag', '=', EnableFlag.ENABLE)
    .where('principal.lockedFlag', '=', 0)
    .executeTakeFirst();
