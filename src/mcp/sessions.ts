import type {
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

import type { Clock } from '../kernel/clock.ts';
import { slot } from '../kernel/slot.ts';
import { unsubscribeAll } from './offer/of-sessions.ts';
import type { McpCaller } from './request/caller.ts';
import type { SessionEvents } from './session-events.ts';

const MAX_SESSIONS = 1_000;
const MAX_PER_OWNER = 16;
const IDLE_MS = 1_800_000;
const MAX_AGE_MS = 8 * 3_600_000;

/** A session of the revisions up to 2025-11-25, of one principal and client. */
export type Session = {
  id: string;
  owner: string;
  server: Server;
  transport: WebStandardStreamableHTTPServerTransport;
  openedMs: number;
  usedMs: number;
  /** What its streams sent last. */
  events: SessionEvents;
  /** The request of its open stream: such a session is not idle. */
  stream: Request | null;
};

/** The sessions of a process, the least recently used first. */
export const MCP_SESSIONS = slot(() => new Map<string, Session>());
export type Sessions = ReturnType<typeof MCP_SESSIONS>;

export const ownerOf = ({ tenantId, principalId, clientId = '' }: McpCaller): string =>
  [tenantId, principalId, clientId].join(' ');

/**
 * Whether there is room for one more session of `owner`. One over the limit of its owner ends the owner's least
 * recently used one; no owner can end another's.
 */
export function makeRoom(sessions: Sessions, owner: string, clock: Clock): boolean {
  endOutdated(sessions, clock);
  const own = [...sessions.values()].filter((session) => session.owner === owner);
  if (own.length >= MAX_PER_OWNER) end(sessions, own[0]);
  return sessions.size < MAX_SESSIONS;
}

/** The session of that id, now the most recently used one; null for another's as for a missing one. */
export function sessionOf(
  sessions: Sessions,
  id: string,
  owner: string,
  clock: Clock,
): Session | null {
  const session = sessions.get(id);
  if (!session || session.owner !== owner || isOutdated(session, clock)) return null;
  sessions.delete(id);
  sessions.set(id, session);
  session.usedMs = clock.now();
  return session;
}

/** Ends the sessions that are idle or too old. */
export function endOutdated(sessions: Sessions, clock: Clock): void {
  for (const session of sessions.values()) if (isOutdated(session, clock)) end(sessions, session);
}

export function end(sessions: Sessions, session: Session | undefined): void {
  if (!session) return;
  sessions.delete(session.id);
  unsubscribeAll(session.server);
  // Closes the streams of the session too.
  void session.server.close().catch(() => {});
}

const isOutdated = ({ openedMs, usedMs, stream }: Session, clock: Clock): boolean =>
  clock.now() - openedMs > MAX_AGE_MS || (stream === null && clock.now() - usedMs > IDLE_MS);
