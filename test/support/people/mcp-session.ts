import { Server } from '@modelcontextprotocol/server';

import { SessionEvents } from '../../../src/mcp/session/events.ts';
import { SessionTransport } from '../../../src/mcp/session/transport.ts';
import type { Session } from '../../../src/mcp/sessions.ts';

const REVISION = '2025-11-25';
export const initialize = (capabilities: object) => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: REVISION,
    capabilities,
    clientInfo: { name: 'platform-tests', version: '1.0.0' },
  },
});

/** A session as it looks on the wire. */
export type Spoken = {
  id: string;
  bearer: string;
  send(message: object, bearer?: string): Promise<Response>;
  /** Opens its stream, after that event where one is named. */
  listen(after?: string): Promise<Response>;
  close(bearer?: string): Promise<Response>;
  /** The same session at another process. */
  at(base: string): Spoken;
};

const sendTo = (
  base: string,
  method: string,
  headers: Record<string, string>,
  body?: object,
): Promise<Response> =>
  fetch(`${base}/mcp`, {
    method,
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });

/** Opens a session of a client with these capabilities; `id` is empty when the server gave none. */
export async function speak(base: string, bearer: string, capabilities = {}): Promise<Spoken> {
  const opened = await sendTo(
    base,
    'POST',
    { authorization: `Bearer ${bearer}` },
    initialize(capabilities),
  );
  await opened.text();
  return spokenAt(base, opened.headers.get('mcp-session-id') ?? '', bearer);
}

function spokenAt(base: string, id: string, bearer: string): Spoken {
  const send = (method: string, headers: Record<string, string>, body?: object) =>
    sendTo(base, method, headers, body);
  const within = (by: string) => ({
    authorization: `Bearer ${by}`,
    'mcp-session-id': id,
    'mcp-protocol-version': REVISION,
  });
  let sent = 0;
  return {
    id,
    bearer,
    send(message, by = bearer) {
      sent += 1;
      return send('POST', within(by), { jsonrpc: '2.0', id: sent, ...message });
    },
    listen: (after) =>
      send('GET', { ...within(bearer), ...(after !== undefined && { 'last-event-id': after }) }),
    close: (by = bearer) => send('DELETE', within(by)),
    at: (other) => spokenAt(other, id, bearer),
  };
}

/** A session that no request opened. */
export const anySession = (id: string, owner: string, now: number): Session => ({
  id,
  tenantId: '1',
  owner,
  server: new Server({ name: 'test', version: '1' }, {}),
  transport: new SessionTransport(),
  usedMs: now,
  notedMs: now,
  isCurrent: true,
  logLevel: '',
  mailed: '0',
  events: new SessionEvents(),
  stream: null,
});
