import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { audit } from '../audit/audit.ts';

/** Revokes everything issued up to `atMs`, on every node at once (docs/specification/login.md 6). */
export async function revokeTokens(
  q: Queries,
  tenantId: string,
  principalId: string,
  atMs: number,
): Promise<void> {
  await q
    .insertInto('svc_token_revocation')
    .values({ tenantId, principalId, revokedBeforeMs: String(atMs) })
    .onConflict((conflict) =>
      conflict.columns(['tenantId', 'principalId']).doUpdateSet({
        // Of concurrent logouts on two nodes the later time is kept.
        revokedBeforeMs: sql`greatest(svc_token_revocation.revoked_before_ms, excluded.revoked_before_ms)`,
      }),
    )
    .execute();
}

/** Whether a token of `issuedMs` was issued before the logout or in its millisecond. */
export function isRevoked(issuedMs: number, revokedBeforeMs: string | number | null): boolean {
  return revokedBeforeMs !== null && issuedMs <= Number(revokedBeforeMs);
}

/** Logout: ends every token of the principal in this tenant, OAuth tokens too; returns true. */
export async function cancel(app: App, caller: Caller): Promise<true> {
  await inTenant(app.db, caller.tenantId, async (q) => {
    await revokeTokens(q, caller.tenantId, caller.principalId, app.clock.now());
    await audit(app, q, caller, {
      action: 'LOGOUT',
      resourceType: 'TOKEN',
      resourceId: caller.principalId,
      resourceName: caller.name,
    });
  });
  return true;
}
