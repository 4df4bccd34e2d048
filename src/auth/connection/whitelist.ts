import type { App, Caller } from '../../app.ts';
import type { Clock } from '../../core/clock.ts';
import { EnableFlag } from '../../core/input/flag.ts';
import { TtlCache } from '../../core/ttl-cache.ts';
import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';

/** Cache lifetime: a revoked connection ends on every node within this time. */
const LIFE_MS = 1_000;
const MAX_ENTRIES = 10_000;
const USED_EVERY_MS = 60_000;

/** What a client's connections allow it for one principal; `tools` null: no connection, no limit. */
export type Whitelist = {
  connectionId: string;
  tools: ReadonlySet<string> | null;
  /** Why no connection is active; null while one is, or when there is none at all. */
  ended: string | null;
};

const NO_CONNECTION: Whitelist = { connectionId: '0', tools: null, ended: null };

const ENDED = {
  revoked: 'The connection of this client was revoked; a person of the tenant can restore it',
  expired: 'The connection of this client has expired; a person of the tenant can restore it',
};

export const openWhitelistCache = (clock: Clock) =>
  new TtlCache<Whitelist>(clock, LIFE_MS, MAX_ENTRIES);

const keyOf = ({ tenantId, principalId, clientId }: Caller) =>
  `${tenantId}:${principalId}:${clientId}`;

/** Drops the tenant's cached whitelists, so that a change acts at once on this node. */
export function forgetWhitelists(app: App, tenantId: string): void {
  app.caches.whitelists.deleteWhere((key) => key.startsWith(`${tenantId}:`));
}

/**
 * The tools the caller's client may use: those of all its active connections; none, with the reason, when
 * all are revoked or expired; no limit when there never was a connection.
 */
export async function whitelistOf(app: App, caller: Caller): Promise<Whitelist> {
  if (caller.clientId === undefined) return NO_CONNECTION;
  const key = keyOf(caller);
  const known = app.caches.whitelists.get(key);
  if (known) return known;
  const { tenantId, principalId, clientId } = caller;
  const loaded = await inTenant(app.db, tenantId, (q) =>
    load(app, q, { tenantId, principalId, clientId }),
  );
  app.caches.whitelists.set(key, loaded);
  return loaded;
}

async function load(
  app: App,
  q: Queries,
  { tenantId, principalId, clientId }: { tenantId: string; principalId: string; clientId: string },
): Promise<Whitelist> {
  const now = app.clock.now();
  const connections = await q
    .selectFrom('svc_mcp_connection')
    .select(['id', 'enableFlag', 'expireTime', 'lastUsedTime'])
    .where('tenantId', '=', tenantId)
    .where('principalId', '=', principalId)
    .where('clientId', '=', clientId)
    .orderBy('id')
    .execute();
  if (connections.length === 0) return NO_CONNECTION;
  const active = connections.filter(
    ({ enableFlag, expireTime }) =>
      enableFlag === EnableFlag.ENABLE && (!expireTime || expireTime.getTime() > now),
  );
  const [first] = active;
  if (!first) {
    const isRevoked = connections.some(({ enableFlag }) => enableFlag !== EnableFlag.ENABLE);
    return {
      connectionId: connections[0]?.id ?? '0',
      tools: new Set(),
      ended: isRevoked ? ENDED.revoked : ENDED.expired,
    };
  }
  const ids = active.map(({ id }) => id);
  if (!first.lastUsedTime || first.lastUsedTime.getTime() < now - USED_EVERY_MS) {
    await q
      .updateTable('svc_mcp_connection')
      .set({ lastUsedTime: new Date(now) })
      .where('tenantId', '=', tenantId)
      .where('id', 'in', ids)
      .execute();
  }
  const rows = await q
    .selectFrom('svc_mcp_connection_tool')
    .select('toolId')
    .where('connectionId', 'in', ids)
    .where('enableFlag', '=', EnableFlag.ENABLE)
    .execute();
  return { connectionId: first.id, tools: new Set(rows.map(({ toolId }) => toolId)), ended: null };
}
