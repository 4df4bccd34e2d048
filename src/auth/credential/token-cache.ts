import { hash } from 'node:crypto';

import { relyingOn } from '../../db/basis.ts';
import { acrossTenants } from '../../db/tenant.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { slot } from '../../kernel/slot.ts';
import { TtlCache } from '../../kernel/ttl-cache.ts';
import { permissionsOf } from '../permission/permission.ts';
import { KNOWN_MS, mayBePresent } from '../permission/present.ts';

const EVERY_MS = 60_000;

const MAX_ENTRIES = 10_000;

export type Verified = {
  caller: Omit<Caller, 'permissions' | 'timezone' | 'version'>;
  version: string;
  /** When credential or account expires, in ms since the epoch. */
  endsMs: number;
  use?: Use;
  /** The resource that a token or key is for (RFC 8707). */
  resource?: string;
};

/** Credentials that were verified, by their digest; each with the version of its tenant (present.ts). */
const VERIFIED_TOKENS = slot((clock) => new TtlCache<Verified>(clock, KNOWN_MS, MAX_ENTRIES));

/**
 * The caller behind a credential, from memory unless its tenant has changed since; `verify` throws NotAuthenticated,
 * and so does `demand` for one that is not for this place.
 */
export async function verifiedCaller(
  app: App,
  key: string,
  verify: () => Promise<Verified>,
  demand: (verified: Verified) => void = () => {},
): Promise<Caller & { expiresAt: number }> {
  const known = app.of(VERIFIED_TOKENS).get(key);
  const isKnown = known && mayBePresent(app, known.caller.tenantId, known.version);
  const verified = isKnown ? known : await verify();
  if (!isKnown) app.of(VERIFIED_TOKENS).set(key, verified, verified.endsMs);
  demand(verified);
  const { caller, version, endsMs, use } = verified;
  if (use) await noteUse(app, use);
  const { tenantId, principalId } = caller;
  const { codes, timezone } = await permissionsOf(app, tenantId, principalId, version);
  return { ...caller, permissions: codes, timezone, version, expiresAt: endsMs };
}

/** Cache key of a credential; as JSON, its parts cannot run into each other. */
export function digestOf(...parts: string[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}

/** Rows that say when they were last used, to the minute; `atMs` is ms since the epoch, null before the first use. */
export type Use = {
  table: 'svc_key' | 'svc_service_account' | 'svc_mcp_connection';
  ids: readonly string[];
  atMs: number | null;
};

/** Writes the time of use, at most once a minute however busy a client is. */
export async function noteUse(app: App, use: Use): Promise<void> {
  const now = app.clock.now();
  if (use.atMs !== null && now - use.atMs < EVERY_MS) return;
  use.atMs = now;
  await relyingOn(null, () =>
    acrossTenants(app.db, 'oauth', (q) =>
      q
        .updateTable(use.table)
        .set({ lastUsedTime: new Date(now) })
        .where('id', 'in', [...use.ids])
        .execute(),
    ),
  );
}
