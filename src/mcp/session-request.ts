import { randomUUID } from 'node:crypto';

import {
  type AuthInfo,
  isInitializeRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

import type { McpCaller } from './request/caller.ts';
import { isRecord } from './request/record.ts';
import { serverFor, type Serving } from './server.ts';
import {
  end,
  endOutdated,
  makeRoom,
  ownerOf,
  type Session,
  sessionOf,
  MCP_SESSIONS,
} from './sessions.ts';

const SWEEP_MS = 60_000;

type Given = { authInfo: AuthInfo; parsedBody?: unknown };

/** Answers the requests that belong to a session of the revisions up to 2025-11-25, null to others. */
export function sessionRequests(serving: Serving, maxRequestBodySize: number) {
  const { app } = serving;
  const sessions = app.of(MCP_SESSIONS);
  app.clock.every(SWEEP_MS, () => endOutdated(sessions, app.clock));
  return async (request: Request, caller: McpCaller, given: Given) => {
    // Every request of 2026-07-28 has this header, and none has a session.
    if (request.headers.has('mcp-method')) return null;
    const owner = ownerOf(caller);
    const id = request.headers.get('mcp-session-id');
    if (id !== null) {
      const session = sessionOf(sessions, id, owner, app.clock);
      if (!session) return gone();
      const response = await session.transport.handleRequest(request, given);
      if (request.method === 'DELETE') end(sessions, session);
      if (request.method !== 'GET' || !response.ok) return response;
      keepUntil(session, request, caller);
      return flushed(response);
    }
    if (!opens(given.parsedBody)) return null;
    if (!makeRoom(sessions, owner, app.clock)) return null;
    const session = await opened(owner, caller);
    sessions.set(session.id, session);
    const response = await session.transport.handleRequest(request, given);
    if (!response.ok) end(sessions, session);
    return response;
  };

  async function opened(owner: string, caller: McpCaller): Promise<Session> {
    const id = randomUUID();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      maxRequestBodySize,
    });
    const server = serverFor(serving, { caller });
    await server.connect(transport);
    const now = app.clock.now();
    return { id, owner, server, transport, openedMs: now, usedMs: now, listening: false };
  }

  /** The stream of a session ends with the token that opened it; until then the session is in use. */
  function keepUntil(session: Session, request: Request, { expiresAt }: McpCaller): void {
    session.listening = true;
    const cancel = app.clock.after(Math.max(0, expiresAt - app.clock.now()), () =>
      session.transport.closeStandaloneSSEStream(),
    );
    request.signal.addEventListener('abort', () => {
      cancel();
      session.listening = false;
      session.usedMs = app.clock.now();
    });
  }
}

/** Node sends the head with the first byte, which the stream would else have after 15 s. */
function flushed(response: Response): Response {
  const first = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => controller.enqueue(Buffer.from(': open\n\n')),
  });
  return new Response(response.body?.pipeThrough(first), response);
}

const opens = (body: unknown): boolean =>
  isRecord(body) && body['method'] === 'initialize' && isInitializeRequest(body);

const gone = (): Response =>
  Response.json(
    { jsonrpc: '2.0', id: null, error: { code: -32_001, message: 'Session not found' } },
    { status: 404 },
  );
