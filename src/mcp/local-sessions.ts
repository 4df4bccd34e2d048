import { isJSONRPCNotification, isJSONRPCResponse } from '@modelcontextprotocol/server';

import { mailOfSession, sweepMail } from '../auth/connection/mcp-mail.ts';
import {
  changedIn,
  CHANNEL,
  findSession,
  sweepSessions,
  touchSession,
} from '../auth/connection/mcp-session.ts';
import { TooManyRequests } from '../kernel/errors.ts';
import type { McpCaller } from './request/caller.ts';
import type { Serving } from './server.ts';
import { makeSession, restore, restoreLevel } from './session-made.ts';
import {
  currentSession,
  letGo,
  letIdleGo,
  makeRoom,
  MCP_SESSIONS,
  ownerOf,
  QUIET_MS,
  type Session,
  use,
} from './sessions.ts';

const MINUTE = 60_000;

type LocalSessions = {
  /** The caller's session, made of its row where it is not here; null for another's as for a missing one. */
  found(id: string, caller: McpCaller): Promise<Session | null>;
  /** Its row is not as it was read: its stream goes on as the row says now. */
  changedElsewhere(session: Session): Promise<void>;
};

/**
 * The sessions that this process holds, made of their rows: it hears when another process has changed one, and notes
 * within a minute which it uses.
 */
export function localSessions(serving: Serving): LocalSessions {
  const { app } = serving;
  const sessions = app.of(MCP_SESSIONS);
  const making = new Map<string, Promise<Session | null>>();
  app.clock.every(MINUTE, async () => {
    letIdleGo(sessions, app.clock);
    const streaming = [...sessions.values()].filter(({ stream }) => stream !== null);
    for (const session of streaming) note(use(sessions, session, app.clock));
    await Promise.all([sweepSessions(app), sweepMail(app)]).catch(failed);
  });
  app.db.notices.subscribe((announced) => {
    if (announced === null) {
      for (const session of sessions.values()) void missed(session);
      return;
    }
    const change = changedIn(app, announced);
    const session = sessions.get(change?.id ?? '');
    if (session) void (change?.isMail ? takeMail(session) : changedElsewhere(session));
  }, CHANNEL);

  function failed(error: unknown): void {
    app.log.debug({ error }, 'the sessions of MCP clients were not compared with their rows');
  }

  function note(session: Session): void {
    if (session.usedMs - session.notedMs < MINUTE) return;
    session.notedMs = session.usedMs;
    void touchSession(app, session.tenantId, session).catch(failed);
  }

  const missed = (session: Session) =>
    Promise.all([
      changedElsewhere(session),
      app.clock.now() - session.usedMs > QUIET_MS ? null : takeMail(session),
    ]);

  /** Takes what its client sent to another process: answers to questions of this one, and cancellations. */
  async function takeMail(session: Session): Promise<void> {
    const mail = await mailOfSession(app, session, session.mailed).catch((error: unknown) => {
      failed(error);
      return [];
    });
    for (const { id, message } of mail) {
      session.mailed = id;
      const own = session.transport.own(message);
      if (isJSONRPCResponse(own) || isJSONRPCNotification(own))
        session.transport.onmessage?.(own, {});
    }
  }

  async function changedElsewhere(session: Session): Promise<void> {
    session.isCurrent = false;
    const { stream } = session;
    if (stream === null) return;
    const [tenantId = '', principalId = '', clientId] = session.owner.split(' ');
    const owner = { tenantId, principalId, ...(clientId && { clientId }) };
    try {
      const row = await findSession(app, owner, session.id);
      if (row === null) letGo(sessions, session);
      else if (row.streamId === stream.id) await stream.take(row.uris);
      else stream.close();
    } catch (error) {
      failed(error);
      // Its client opens it again, in whatever process, and goes on from its last event.
      stream.close();
    }
  }

  async function fromRow(id: string, caller: McpCaller): Promise<Session | null> {
    const held = sessions.get(id);
    const known = held?.owner === ownerOf(caller) ? held : undefined;
    if (known) known.isCurrent = true;
    const row = await findSession(app, caller, id);
    if (row === null) {
      letGo(sessions, known);
      return null;
    }
    if (known) {
      await restoreLevel(known, row.logLevel);
      return use(sessions, known, app.clock);
    }
    if (!makeRoom(sessions, app.clock))
      throw new TooManyRequests('Too many sessions are in use here', 5);
    const session = await makeSession(serving, id, caller);
    await restore(session, row);
    // A change meanwhile was announced before the session was listed: its next request reads the row once more.
    session.isCurrent = false;
    return use(sessions, session, app.clock);
  }

  /** One at a time for a session. */
  function again(id: string, caller: McpCaller): Promise<Session | null> {
    const key = `${ownerOf(caller)} ${id}`;
    const made = making.get(key) ?? fromRow(id, caller).finally(() => making.delete(key));
    making.set(key, made);
    return made;
  }

  return {
    async found(id, caller) {
      const owner = ownerOf(caller);
      const session = currentSession(sessions, id, owner, app.clock) ?? (await again(id, caller));
      if (session) note(session);
      return session;
    },
    changedElsewhere,
  };
}
