import type { SessionRow } from '../auth/connection/mcp-session.ts';
import type { McpCaller } from './request/caller.ts';
import { MAX_BODY_BYTES } from './request/http/body.ts';
import { serverFor, type Serving } from './server.ts';
import { SessionEvents } from './session/events.ts';
import { SessionTransport } from './session/transport.ts';
import { ownerOf, type Session } from './sessions.ts';

/** A session before its client, or `restore`, has begun it. */
export async function makeSession(
  serving: Serving,
  id: string,
  caller: McpCaller,
): Promise<Session> {
  const events = new SessionEvents();
  const transport = new SessionTransport({
    sessionIdGenerator: () => id,
    maxRequestBodySize: MAX_BODY_BYTES,
    eventStore: events,
  });
  const server = serverFor(serving, { caller });
  await server.connect(transport);
  const now = serving.app.clock.now();
  return {
    id,
    tenantId: caller.tenantId,
    owner: ownerOf(caller),
    server,
    transport,
    usedMs: now,
    notedMs: now,
    isCurrent: true,
    logLevel: '',
    mailed: '0',
    events,
    stream: null,
  };
}

/** Gives the protocol's library again what the client said at the beginning. */
export async function restore(session: Session, { opening, logLevel }: SessionRow): Promise<void> {
  await repeat(session, { method: 'initialize', params: opening });
  await restoreLevel(session, logLevel);
}

export async function restoreLevel(session: Session, level: string): Promise<void> {
  if (session.logLevel === level) return;
  await repeat(session, { method: 'logging/setLevel', params: { level } });
  session.logLevel = level;
}

/** A message of the session as its client sent it once; nothing of the answer goes out. */
async function repeat({ id, transport }: Session, message: object): Promise<void> {
  const headers = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-session-id': id,
  };
  const request = new Request('http://localhost/mcp', { method: 'POST', headers });
  const parsedBody = { jsonrpc: '2.0', id: 'restored', ...message };
  const response = await transport.handleRequest(request, { parsedBody });
  await response.text();
}
