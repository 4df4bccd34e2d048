import { momentAcrossTenants } from '../../db/tenant.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { Budgets, type Limits } from '../../kernel/process/agent-budget.ts';
import { slot } from '../../kernel/slot.ts';
import { TtlCache } from '../../kernel/ttl-cache.ts';
import { noteUse, type Use } from '../credential/token-cache.ts';
import { type AgentStop, stopWords, strictest } from '../permission/mode.ts';
import { permissionsOf } from '../permission/permission.ts';
import { KNOWN_MS, versionOf } from '../permission/present.ts';
import { READ_ONLY_CONNECTION, stopOfProcess } from './stop.ts';

const MAX_ENTRIES = 10_000;

/** What a client's connections allow it for one principal; `tools` null: no connection, no limit. */
export type Whitelist = {
  connectionId: string;
  tools: ReadonlySet<string> | null;
  /** Why the client may nothing: agents are switched off, or no connection is active any more; else null. */
  ended: string | null;
  /** While its agents may only read. */
  stop: AgentStop | null;
  /** Of an hour, where they differ from the default. */
  budgets: Partial<Limits>;
};

const NO_CONNECTION: Whitelist = {
  connectionId: '0',
  tools: null,
  ended: null,
  stop: null,
  budgets: {},
};
const NO_TOOLS: ReadonlySet<string> = new Set();

const ENDED = {
  revoked: 'The connection of this client was revoked; a person of the tenant can restore it',
  expired: 'The connection of this client has expired; a person of the tenant can restore it',
};

type Known = {
  whitelist: Whitelist;
  version: string;
  /** When the first of the connections expires (ms since the epoch). */
  endsMs: number;
  use?: Use;
};

const WHITELISTS = slot((clock) => new TtlCache<Known>(clock, KNOWN_MS, MAX_ENTRIES));

/**
 * The tools the caller's client may use: those of all its active connections; none, with the reason, when
 * all are revoked or expired, or agents are switched off; no limit when there never was a connection. From
 * memory when that was read at the caller's version.
 */
export async function whitelistOf(app: App, caller: Caller): Promise<Whitelist> {
  const connection = await connectionOf(app, caller);
  const { tenantId, principalId, version } = caller;
  const { stops } = await permissionsOf(app, tenantId, principalId, version);
  const stop = strictest([
    ...stopOfProcess(app),
    ...stops,
    ...(connection.stop ? [connection.stop] : []),
  ]);
  if (stop?.mode === 'OFF')
    return { ...connection, tools: NO_TOOLS, ended: `${stopWords(stop)}.`, stop };
  return { ...connection, stop };
}

async function connectionOf(app: App, caller: Caller): Promise<Whitelist> {
  const { tenantId, principalId, clientId } = caller;
  if (clientId === undefined) return NO_CONNECTION;
  const key = `${tenantId}:${principalId}:${clientId}`;
  let known = app.of(WHITELISTS).get(key);
  if (!known || known.version !== caller.version) {
    known = await load(app, { tenantId, principalId, clientId });
    app.of(WHITELISTS).set(key, known, known.endsMs);
  }
  if (known.use) await noteUse(app, known.use);
  return known.whitelist;
}

type Client = { tenantId: string; principalId: string; clientId: string };

function load(app: App, { tenantId, principalId, clientId }: Client): Promise<Known> {
  const now = app.clock.now();
  return momentAcrossTenants(app.db, 'oauth', async (q) => {
    const [version, connections, tools] = await Promise.all([
      versionOf(app, q, tenantId),
      q
        .selectFrom('svc_mcp_connection')
        .select(['id', 'enableFlag', 'expireTime', 'lastUsedTime', 'readOnlyFlag', 'budgets'])
        .where('tenantId', '=', tenantId)
        .where('principalId', '=', principalId)
        .where('clientId', '=', clientId)
        .orderBy('id')
        .execute(),
      q
        .selectFrom('svc_mcp_connection_tool as tool')
        .innerJoin('svc_mcp_connection as connection', 'connection.id', 'tool.connectionId')
        .select(['tool.connectionId', 'tool.toolId'])
        .where('connection.tenantId', '=', tenantId)
        .where('connection.principalId', '=', principalId)
        .where('connection.clientId', '=', clientId)
        .where('tool.enableFlag', '=', EnableFlag.ENABLE)
        .execute(),
    ]);
    const active = connections.filter(
      ({ enableFlag, expireTime }) =>
        enableFlag === EnableFlag.ENABLE && (!expireTime || expireTime.getTime() > now),
    );
    const endsMs = Math.min(...active.map(({ expireTime }) => expireTime?.getTime() ?? Infinity));
    const [first] = active;
    if (!first) return { whitelist: withoutActive(connections), version, endsMs };
    const ids = active.map(({ id }) => id);
    const listed = tools.filter(({ connectionId }) => ids.includes(connectionId));
    return {
      whitelist: {
        connectionId: first.id,
        tools: new Set(listed.map(({ toolId }) => toolId)),
        ended: null,
        stop: active.some(({ readOnlyFlag }) => readOnlyFlag === 1) ? READ_ONLY_CONNECTION : null,
        budgets: Budgets.parse(first.budgets),
      },
      version,
      endsMs,
      use: { table: 'svc_mcp_connection', ids, atMs: first.lastUsedTime?.getTime() ?? null },
    };
  });
}

function withoutActive(connections: readonly { id: string; enableFlag: number }[]): Whitelist {
  const [first] = connections;
  if (!first) return NO_CONNECTION;
  const isRevoked = connections.some(({ enableFlag }) => enableFlag !== EnableFlag.ENABLE);
  return {
    connectionId: first.id,
    tools: NO_TOOLS,
    stop: null,
    budgets: {},
    ended: isRevoked ? ENDED.revoked : ENDED.expired,
  };
}
