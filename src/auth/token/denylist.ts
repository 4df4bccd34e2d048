import { sql } from 'kysely';

import type { App, Caller } from '../../app.ts';
import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import { audit } from '../audit.ts';
import { forgetTokens } from './token-cache.ts';

/**
 * Refuses, from now on and on every node within a second, what was issued up to `atMs`
 * (docs/specification/login.md 6).
 */
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
        // Two nodes may log out at once: the later moment stays.
        revokedBeforeMs: sql`greatest(svc_token_revocation.revoked_before_ms, excluded.revoked_before_ms)`,
      }),
    )
    .execute();
}

/** Whether a token of `issuedMs` was issued before, or in the millisecond of, the logout. */
export function isRevoked(issuedMs: number, revokedBeforeMs: string | number | null): boolean {
  return revokedBeforeMs !== null && issuedMs <= Number(revokedBeforeMs);
}

/** Logout: every token of this principal in this tenant, OAuth tokens too, ends; answers true. */
export async function cancel(app: App, caller: Caller): Promise<boolean> {
  await inTenant(app.db, caller.tenantId, async (q) => {
    await revokeTokens(q, caller.tenantId, caller.principalId, app.clock.now());
    await audit(app, q, caller, {
      action: 'LOGOUT',
      resourceType: 'TOKEN',
      resourceId: caller.principalId,
      resourceName: caller.name,
    });
  });
  forgetTokens(app, caller.tenantId, caller.principalId);
  return true;
}
