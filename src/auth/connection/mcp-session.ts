import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';

import { relyingOn } from '../../db/basis.ts';
import type { Channel } from '../../db/server/notices.ts';
import { inOneTrip, inOneTripAcrossTenants } from '../../db/tenant.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { storable } from '../../kernel/input/text.ts';
import { slot } from '../../kernel/slot.ts';

/** sql/0465_mcp_session.sql */
export const CHANNEL = 'svc_session' satisfies Channel;
const MAX_OF_OWNER = 16;
const MAX_OF_TENANT = 1_000;
/** Of one sweep. */
const BATCH = 10_000;
const MAX_URIS = 100;
/** Characters of what a client says of itself. */
const MAX_OPENING = 16_384;
export const IDLE_MS = 1_800_000;
const MAX_AGE_MS = 8 * 3_600_000;

/** The URIs that a session follows, each with the place of the feed after which its changes count. */
export type Uris = Readonly<Record<string, string>>;

/** A session as every process sees it. */
export type SessionRow = {
  opening: unknown;
  logLevel: string;
  uris: Uris;
  streamId: string | null;
};

type Owner = Pick<Caller, 'tenantId' | 'principalId' | 'clientId'>;
type Known = { id: string; usedMs: number };

const Id = z.uuid();
const Uris = z.record(z.string(), z.string());
/** This process, in what it announces: it knows its own changes. */
const NODE = slot(() => ({ id: crypto.randomUUID() }));

/**
 * The session that another process has changed or ended, or has mail for (mcp-mail.ts), of an announcement; null for
 * one of this process.
 */
export function changedIn(app: App, announced: string): { id: string; isMail: boolean } | null {
  const [node, id = '', what] = announced.split(' ');
  return node === app.of(NODE).id ? null : { id, isMail: what === 'mail' };
}

/** Announces it to the other processes that hold the session. */
export const announce = (app: App, id: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`pg_notify(${CHANNEL}, ${`${app.of(NODE).id} `} || ${id})`;

const ownedBy = ({ tenantId, principalId, clientId = '' }: Owner): RawBuilder<unknown> =>
  sql`tenant_id = ${tenantId} and principal_id = ${principalId} and client_id = ${clientId}`;

const oldest = ({ clock }: App) => ({
  used: new Date(clock.now() - IDLE_MS),
  opened: new Date(clock.now() - MAX_AGE_MS),
});

const rowOf = ({ opening, uris, ...row }: Stored): SessionRow => ({
  ...row,
  opening: JSON.parse(opening),
  uris: Uris.parse(JSON.parse(uris)),
});
/** JSON as text: names in it stay as the client wrote them. */
type Stored = Omit<SessionRow, 'opening' | 'uris'> & { opening: string; uris: string };
const STORED = sql`opening::text, log_level, uris::text, stream_id`;

/** As text that PostgreSQL takes as jsonb: in names and texts without NUL and lone surrogates. */
const storableJson = (given: unknown): string =>
  JSON.stringify(given, (_name, value: unknown) => {
    if (typeof value === 'string') return storable(value);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [storable(name), part]));
  });

/**
 * Stores a session that begins with these parameters of `initialize`; `known` is how this process used the owner's
 * others. One over the limit of its owner ends the owner's least recently used one, in every process: answers the ids of
 * those. Null, and nothing stored, where the tenant has as many as it may, or the client says more of itself than is stored.
 */
export async function storeSession(
  app: App,
  owner: Owner,
  { id, opening, known }: { id: string; opening: unknown; known: readonly Known[] },
): Promise<readonly string[] | null> {
  const said = storableJson(opening);
  if (said.length > MAX_OPENING) return null;
  const { tenantId, principalId, clientId = '' } = owner;
  const now = new Date(app.clock.now());
  const { used, opened } = oldest(app);
  const uses = JSON.stringify(known.map((one) => ({ id: one.id, ms: one.usedMs })));
  const [, , ended, stored] = await inOneTrip(app.db, tenantId, (q) =>
    Promise.all([
      sql`update svc_mcp_session s set use_time = greatest(s.use_time, to_timestamp(k.ms / 1000.0))
        from jsonb_to_recordset(${uses}::jsonb) as k(id uuid, ms bigint)
        where s.tenant_id = ${tenantId} and s.session_id = k.id`.execute(q),
      sql`delete from svc_mcp_session where ${ownedBy(owner)}
        and (use_time < ${used} or open_time < ${opened})`.execute(q),
      sql<{ sessionId: string }>`with ended as (
          delete from svc_mcp_session where tenant_id = ${tenantId} and session_id in (
            select session_id from svc_mcp_session where ${ownedBy(owner)}
            order by use_time desc, open_time desc offset ${MAX_OF_OWNER - 1})
          returning session_id)
        select session_id, ${announce(app, sql`session_id::text`)} from ended`.execute(q),
      sql`insert into svc_mcp_session (tenant_id, session_id, principal_id, client_id, opening, open_time, use_time)
        select ${tenantId}, ${id}, ${principalId}, ${clientId}, ${said}::jsonb, ${now}, ${now}
        where (select count(*) from svc_mcp_session where tenant_id = ${tenantId}) < ${MAX_OF_TENANT}
        returning session_id`.execute(q),
    ]),
  );
  if (stored.rows.length === 0) return null;
  return ended.rows.map(({ sessionId }) => sessionId);
}

/** The owner's session of that id; null for another's as for a missing one. */
export async function findSession(app: App, owner: Owner, id: string): Promise<SessionRow | null> {
  if (!Id.safeParse(id).success) return null;
  const { used, opened } = oldest(app);
  // `relyingOn(null)`: a notice of a change may arrive while another caller's request runs, and this query is not that caller's.
  const { rows } = await relyingOn(null, () =>
    inOneTrip(app.db, owner.tenantId, (q) =>
      sql<Stored>`select ${STORED} from svc_mcp_session where ${ownedBy(owner)} and session_id = ${id}
        and use_time >= ${used} and open_time >= ${opened}`.execute(q),
    ),
  );
  return rows[0] ? rowOf(rows[0]) : null;
}

/** Changes a session and announces it; null where it is not there, or not as `where` says. */
async function change(
  app: App,
  { tenantId }: Pick<Caller, 'tenantId'>,
  id: string,
  { set, where = sql`true` }: { set: RawBuilder<unknown>; where?: RawBuilder<unknown> },
): Promise<SessionRow | null> {
  const { rows } = await inOneTrip(app.db, tenantId, (q) =>
    sql<Stored>`update svc_mcp_session set ${set}
      where tenant_id = ${tenantId} and session_id = ${id} and ${where}
      returning ${STORED}, ${announce(app, sql`session_id::text`)}`.execute(q),
  );
  return rows[0] ? rowOf(rows[0]) : null;
}

/** Follows one more URI from now on; null where the session follows as many as it may, or has ended. */
export const followUri = (app: App, caller: Caller, id: string, uri: string) =>
  change(app, caller, id, {
    set: sql`uris = case when uris ? ${uri} then uris else uris || jsonb_build_object(${uri}::text,
      coalesce((select place from svc_feed_head h where h.tenant_id = ${caller.tenantId}), 0)::text) end`,
    where: sql`(uris ? ${uri} or (select count(*) from jsonb_object_keys(uris)) < ${MAX_URIS})`,
  });

export const leaveUri = (app: App, caller: Caller, id: string, uri: string) =>
  change(app, caller, id, { set: sql`uris = uris - ${uri}::text` });

/** Makes `streamId` the one stream of the session, wherever another one is. */
export const takeStream = (app: App, caller: Caller, id: string, streamId: string) =>
  change(app, caller, id, {
    set: sql`stream_id = ${streamId}, use_time = ${new Date(app.clock.now())}`,
  });

export const setLevel = (app: App, caller: Caller, id: string, level: string) =>
  change(app, caller, id, { set: sql`log_level = ${level}` });

/** Ends a session in every process. */
export async function removeSession(app: App, owner: Owner, id: string): Promise<void> {
  await inOneTrip(app.db, owner.tenantId, (q) =>
    sql`with ended as (
        delete from svc_mcp_session where ${ownedBy(owner)} and session_id = ${id} returning session_id)
      select ${announce(app, sql`session_id::text`)} from ended`.execute(q),
  );
}

/** Notes when a session was used last. */
export async function touchSession(
  app: App,
  tenantId: string,
  { id, usedMs }: Known,
): Promise<void> {
  await relyingOn(null, () =>
    inOneTrip(app.db, tenantId, (q) =>
      sql`update svc_mcp_session set use_time = greatest(use_time, ${new Date(usedMs)})
        where tenant_id = ${tenantId} and session_id = ${id}`.execute(q),
    ),
  );
}

/** Drops the sessions that are idle or too old. */
export async function sweepSessions(app: App): Promise<void> {
  const { used, opened } = oldest(app);
  await inOneTripAcrossTenants(app.db, 'sweeper', (q) =>
    sql`delete from svc_mcp_session where session_id in (select session_id from svc_mcp_session
      where use_time < ${used} or open_time < ${opened} limit ${BATCH})`.execute(q),
  );
}
