import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';

import {
  type AuthInfo,
  isInitializeRequest,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

import { mailToSession } from '../auth/connection/mcp-mail.ts';
import {
  removeSession,
  setLevel,
  storeSession,
  takeStream,
} from '../auth/connection/mcp-session.ts';
import { localSessions } from './local-sessions.ts';
import type { McpCall, McpCaller } from './request/caller.ts';
import { isRecord } from './request/record.ts';
import type { Serving } from './server.ts';
import { makeSession, restoreLevel } from './session-made.ts';
import { openSessionStream } from './session/stream.ts';
import { isForAnyProcess } from './session/transport.ts';
import { letGo, makeRoom, MCP_SESSIONS, ownerOf } from './sessions.ts';

/** The revision since which clients take an event without data, which only gives its place. */
const TAKES_PLACES = '2025-11-25';

type Given = { authInfo: AuthInfo; parsedBody?: unknown };

const Level = z.object({
  method: z.literal('logging/setLevel'),
  params: z.object({
    level: z.enum([
      'debug',
      'info',
      'notice',
      'warning',
      'error',
      'critical',
      'alert',
      'emergency',
    ]),
  }),
});

/**
 * The requests that belong to a session of the revisions up to 2025-11-25. Its row is in the database, so any process
 * serves it.
 */
export function sessionRequests(serving: Serving) {
  const { app } = serving;
  const sessions = app.of(MCP_SESSIONS);
  const { found, changedElsewhere } = localSessions(serving);

  async function answer(
    request: Request,
    caller: McpCaller,
    given: Given,
  ): Promise<Response | null> {
    // Every request of 2026-07-28 has this header, and none has a session.
    if (request.headers.has('mcp-method')) return null;
    const id = request.headers.get('mcp-session-id');
    const { parsedBody } = given;
    // Whoever begins anew, and still names a session that ended, gets a new one.
    if (opens(parsedBody)) return begin(request, caller, given, parsedBody.params);
    if (id === null) return null;
    const session = await found(id, caller);
    if (!session) return gone();
    const { transport } = session;
    const own = transport.own(parsedBody);
    // An answer that is not ours, and a cancellation of a call that may not be here; the embedded database serves one process.
    const isElsewhere = own === null || (own === parsedBody && isForAnyProcess(own));
    if (isElsewhere && app.db.engine === 'postgres') await mailToSession(app, session, parsedBody);
    const asked = { ...given, ...(own !== undefined && { parsedBody: own ?? parsedBody }) };
    const response = await transport.handleRequest(request, asked);
    if (request.method === 'DELETE' && response.ok) {
      letGo(sessions, session);
      await removeSession(app, caller, id);
    }
    const level = Level.safeParse(parsedBody).data?.params.level;
    if (level !== undefined && response.ok) {
      session.logLevel = level;
      await setLevel(app, caller, id, level);
    }
    return response;
  }

  async function begin(
    request: Request,
    caller: McpCaller,
    given: Given,
    opening: unknown,
  ): Promise<Response | null> {
    if (!makeRoom(sessions, app.clock)) return null;
    const owner = ownerOf(caller);
    const session = await makeSession(serving, randomUUID(), caller);
    const known = [...sessions.values()].filter((one) => one.owner === owner);
    const ended = await storeSession(app, caller, { id: session.id, opening, known });
    if (ended === null) return null;
    for (const one of ended) letGo(sessions, sessions.get(one));
    const response = await session.transport.handleRequest(request, given);
    sessions.set(session.id, session);
    if (!response.ok) {
      letGo(sessions, session);
      await removeSession(app, caller, session.id);
    }
    return response;
  }

  /**
   * Answers GET: the stream of notices on `response`, or by what it returns: the rest of the answer to a call, or a
   * refusal. A new stream takes the place of the one before, in whatever process that is: a client opens it when the
   * old one was cut, which a server hears late or never.
   */
  async function stream(
    asked: Request,
    call: McpCall,
    response: ServerResponse,
  ): Promise<Response | null> {
    const id = asked.headers.get('mcp-session-id') ?? '';
    const session = await found(id, call.caller);
    if (!session) return gone();
    const { transport, events } = session;
    const last = asked.headers.get('last-event-id');
    const version = asked.headers.get('mcp-protocol-version');
    const takesEvents = (asked.headers.get('accept') ?? '').includes('text/event-stream');
    const isKnown = version === null || SUPPORTED_PROTOCOL_VERSIONS.includes(version);
    const isOfCall = last !== null && events.streamOf(last) !== undefined;
    if (isOfCall || !takesEvents || !isKnown) return transport.handleRequest(asked);
    const streamId = randomUUID();
    session.isCurrent = true;
    const row = await call.present((caller) => takeStream(app, caller, id, streamId));
    if (row === null) return gone();
    await restoreLevel(session, row.logLevel);
    session.stream?.close();
    const { uris } = row;
    const takesPlace = (version ?? '') >= TAKES_PLACES;
    const opening = await openSessionStream(
      app,
      call,
      { id: streamId, session: id, uris, last, takesPlace },
      {
        response,
        closed() {
          if (session.stream?.id !== streamId) return;
          session.stream = null;
          session.usedMs = app.clock.now();
        },
      },
    );
    if (!response.closed) {
      // Another request may have opened one meanwhile.
      session.stream?.close();
      session.stream = opening;
    }
    if (!session.isCurrent) void changedElsewhere(session);
    return null;
  }

  return { answer, stream };
}

const opens = (body: unknown): body is { params: unknown } =>
  isRecord(body) && body['method'] === 'initialize' && isInitializeRequest(body);

const gone = (): Response =>
  Response.json(
    { jsonrpc: '2.0', id: null, error: { code: -32_001, message: 'Session not found' } },
    { status: 404 },
  );
