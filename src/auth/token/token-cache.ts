import { createHash } from 'node:crypto';

import type { App, Caller } from '../../app.ts';
import type { Clock } from '../../core/clock.ts';
import { TtlCache } from '../../core/ttl-cache.ts';

/** Cache lifetime: a logout or a disabled account takes effect on every node within this time. */
const LIFE_MS = 1_000;
const MAX_ENTRIES = 10_000;

export type Verified = { caller: Omit<Caller, 'permissions'>; endsMs: number };

/** Tokens verified within the last second, by the digest of the credential. */
export const openTokenCache = (clock: Clock) => new TtlCache<Verified>(clock, LIFE_MS, MAX_ENTRIES);

/** Cache key of a credential; as JSON, its parts cannot run into each other. */
export function digestOf(...parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** Drops verified tokens, so that a logout acts at once on this node; without a principal, a tenant's. */
export function forgetTokens(app: App, tenantId: string, principalId?: string): void {
  app.caches.verifiedTokens.deleteWhere(
    (_, { caller }) =>
      caller.tenantId === tenantId &&
      (principalId === undefined || caller.principalId === principalId),
  );
}
