import type { Server } from '@modelcontextprotocol/server';

import { IDLE_MS } from '../auth/connection/mcp-session.ts';
import type { Clock } from '../kernel/clock.ts';
import { slot } from '../kernel/slot.ts';
import type { McpCaller } from './request/caller.ts';
import type { SessionEvents } from './session/events.ts';
import type { SessionStream } from './session/stream.ts';
import type { SessionTransport } from './session/transport.ts';

const MAX_HELD = 1_000;
/** A session without a stream that had no request for so long has no call under way. */
export const QUIET_MS = 300_000;

/**
 * A session of the revisions up to 2025-11-25, of one principal and client, as this process serves it: made of its
 * row (src/auth/connection/mcp-session.ts), which decides whether it is there, and made again when it is needed again.
 */
export type Session = {
  id: string;
  tenantId: string;
  owner: string;
  server: Server;
  transport: SessionTransport;
  usedMs: number;
  /** When its row was last given `usedMs`. */
  notedMs: number;
  /** Its row is as it was read: no other process announced a change. */
  isCurrent: boolean;
  logLevel: string;
  /** Number of the last message that another process handed on. */
  mailed: string;
  /** What the streams of its calls sent last. */
  events: SessionEvents;
  /** Its open stream, if that is here: such a session is not idle. */
  stream: SessionStream | null;
};

/** The sessions that a process holds, the least recently used first. */
export const MCP_SESSIONS = slot(() => new Map<string, Session>());
export type Sessions = ReturnType<typeof MCP_SESSIONS>;

export const ownerOf = ({ tenantId, principalId, clientId = '' }: McpCaller): string =>
  [tenantId, principalId, clientId].join(' ');

/** Whether there is room to hold one more: a quiet one is let go, since any process makes it again. */
export function makeRoom(sessions: Sessions, clock: Clock): boolean {
  if (sessions.size < MAX_HELD) return true;
  for (const session of sessions.values())
    if (session.stream === null && clock.now() - session.usedMs > QUIET_MS) {
      letGo(sessions, session);
      return true;
    }
  return false;
}

/** The session of that id if its row need not be read, now the most recently used one. */
export function currentSession(
  sessions: Sessions,
  id: string,
  owner: string,
  clock: Clock,
): Session | null {
  const session = sessions.get(id);
  if (!session?.isCurrent || session.owner !== owner || isIdle(session, clock)) return null;
  return use(sessions, session, clock);
}

/** Notes that a session is used now. */
export function use(sessions: Sessions, session: Session, clock: Clock): Session {
  sessions.delete(session.id);
  sessions.set(session.id, session);
  session.usedMs = clock.now();
  return session;
}

/** Lets the idle ones go. */
export function letIdleGo(sessions: Sessions, clock: Clock): void {
  for (const session of sessions.values()) if (isIdle(session, clock)) letGo(sessions, session);
}

/** Ends a session in this process only. */
export function letGo(sessions: Sessions, session: Session | undefined): void {
  if (!session) return;
  sessions.delete(session.id);
  session.stream?.close();
  // Ends the streams of its calls too.
  void session.server.close().catch(() => {});
}

const isIdle = ({ usedMs, stream }: Session, clock: Clock): boolean =>
  stream === null && clock.now() - usedMs > IDLE_MS;
