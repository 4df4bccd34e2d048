import { createHash } from 'node:crypto';

import type { App, Caller } from '../../app.ts';
import { TtlCache } from '../../core/ttl-cache.ts';
import { perApp } from '../../per-app.ts';

/** A logout, or a disabled account, acts on every node within this time. */
const LIFE_MS = 1_000;
const MAX_ENTRIES = 10_000;

export type Verified = { caller: Omit<Caller, 'permissions'>; endsMs: number };

/** Tokens verified within the last second, keyed by the digest of what was presented. */
export const verifiedTokens = perApp(
  (app) => new TtlCache<Verified>(app.clock, LIFE_MS, MAX_ENTRIES),
);

/** The key of what was presented; parts cannot run into each other. */
export function digestOf(...parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** Lets a logout act at once on this node; without a principal, the end of a whole tenant. */
export function forgetTokens(app: App, tenantId: string, principalId?: string): void {
  verifiedTokens(app).deleteWhere(
    (_, { caller }) =>
      caller.tenantId === tenantId &&
      (principalId === undefined || caller.principalId === principalId),
  );
}
