import { randomUUID } from 'node:crypto';

import {
  type AuthInfo,
  isInitializeRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

import { followedBy } from './offer/of-sessions.ts';
import type { McpCaller } from './request/caller.ts';
import { isRecord } from './request/record.ts';
import { serverFor, type Serving } from './server.ts';
import { SessionEvents } from './session-events.ts';
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
/** As the library names the stream that no call opened. */
const NOTICES = '_GET_stream';
/** The revision since which clients take an event without data, which only gives its place. */
const TAKES_PLACES = '2025-11-25';
const OPEN = ': open\n\n';

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
    // Whoever begins anew, and still names a session that ended, gets a new one.
    if (!opens(given.parsedBody)) {
      if (id === null) return null;
      const session = sessionOf(sessions, id, owner, app.clock);
      if (!session) return gone();
      if (request.method === 'GET') return stream(session, request, caller);
      const response = await session.transport.handleRequest(request, given);
      if (request.method === 'DELETE') end(sessions, session);
      return response;
    }
    if (!makeRoom(sessions, owner, app.clock)) return null;
    const session = await opened(owner, caller);
    sessions.set(session.id, session);
    const response = await session.transport.handleRequest(request, given);
    if (!response.ok) end(sessions, session);
    return response;
  };

  async function opened(owner: string, caller: McpCaller): Promise<Session> {
    const id = randomUUID();
    const events = new SessionEvents();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      maxRequestBodySize,
      eventStore: events,
    });
    const server = serverFor(serving, { caller });
    await server.connect(transport);
    const now = app.clock.now();
    return { id, owner, server, transport, events, openedMs: now, usedMs: now, stream: null };
  }

  /**
   * The stream of notices, or what is left of the answer to a call. A new one takes the place of the one before: a
   * client opens it when the old one was cut, which a server hears late or never.
   */
  async function stream(session: Session, asked: Request, caller: McpCaller): Promise<Response> {
    const { transport, events, server } = session;
    const last = asked.headers.get('last-event-id');
    const resumed = last === null ? undefined : events.streamOf(last);
    if (resumed !== undefined && resumed !== NOTICES) return transport.handleRequest(asked);
    if (!(asked.headers.get('accept') ?? '').includes('text/event-stream'))
      return transport.handleRequest(asked);
    transport.closeStandaloneSSEStream();
    const request = resumed === undefined ? withoutPlace(asked) : asked;
    const response = await transport.handleRequest(request);
    if (!response.ok) return response;
    keepUntil(session, request, caller);
    if (resumed !== undefined) return flushed(response, OPEN);
    // What came after a place that is not kept is not known: all that it follows may have changed.
    if (last !== null)
      for (const uri of followedBy(server))
        void server.sendResourceUpdated({ uri }).catch(() => {});
    const takesPlace = (request.headers.get('mcp-protocol-version') ?? '') >= TAKES_PLACES;
    return flushed(response, takesPlace ? `id: ${events.placeIn(NOTICES)}\ndata: \n\n` : OPEN);
  }

  /** The stream of a session ends with the token that opened it; until then the session is in use. */
  function keepUntil(session: Session, request: Request, { expiresAt }: McpCaller): void {
    session.stream = request;
    const close = () => {
      if (session.stream === request) session.transport.closeStandaloneSSEStream();
    };
    const cancel = app.clock.after(Math.max(0, expiresAt - app.clock.now()), close);
    request.signal.addEventListener('abort', () => {
      cancel();
      close();
      if (session.stream !== request) return;
      session.stream = null;
      session.usedMs = app.clock.now();
    });
  }
}

/** Node sends the head with the first byte, which the stream would else have after 15 s. */
function flushed(response: Response, first: string): Response {
  const begun = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => controller.enqueue(Buffer.from(first)),
  });
  return new Response(response.body?.pipeThrough(begun), response);
}

function withoutPlace({ url, headers, signal }: Request): Request {
  const rest = new Headers(headers);
  rest.delete('last-event-id');
  return new Request(url, { headers: rest, signal });
}

const opens = (body: unknown): boolean =>
  isRecord(body) && body['method'] === 'initialize' && isInitializeRequest(body);

const gone = (): Response =>
  Response.json(
    { jsonrpc: '2.0', id: null, error: { code: -32_001, message: 'Session not found' } },
    { status: 404 },
  );
