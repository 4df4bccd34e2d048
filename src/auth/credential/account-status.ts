import type { Queries } from '../../db/connect.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';

/** The conditions checked at every call of a user, not only at login; undefined when one fails. */
export function accountStatus(q: Queries, tenantId: string, principalId: string) {
  return q
    .selectFrom('svc_tenant_membership as membership')
    .innerJoin('svc_tenant as tenant', 'tenant.id', 'membership.tenantId')
    .innerJoin('svc_principal as principal', 'principal.id', 'membership.principalId')
    .innerJoin('svc_local_credential as credential', 'credential.principalId', 'principal.id')
    .leftJoin('svc_token_revocation as revocation', (join) =>
      join
        .onRef('revocation.tenantId', '=', 'membership.tenantId')
        .onRef('revocation.principalId', '=', 'membership.principalId'),
    )
    .select([
      'tenant.tenantCode',
      'credential.loginName',
      'credential.loginNameNormalized',
      'revocation.revokedBeforeMs',
    ])
    .where('membership.tenantId', '=', tenantId)
    .where('membership.principalId', '=', principalId)
    .where('membership.membershipStatus', '=', 'ACTIVE')
    .where('tenant.enableFlag', '=', EnableFlag.ENABLE)
    .where('principal.enableFlag', '=', EnableFlag.ENABLE)
    .where('principal.lockedFlag', '=', 0)
    .where('principal.principalType', '=', 'USER')
    .where('credential.credentialType', '=', 'PASSWORD')
    .where('credential.enableFlag', '=', EnableFlag.ENABLE)
    .executeTakeFirst();
}
