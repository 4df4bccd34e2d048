import { randomUUID } from 'node:crypto';

import { bearerFor } from '../people/bearer.ts';
import { authorizationUrl, discover, registerApp } from '../people/oauth-client.ts';
import type { Session } from '../people/session.ts';

/** A request, as the bytes a client sends. */
export type Door = { name: string; bytes(): Buffer };

type Headers = Record<string, string>;

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

const get = (path: string, headers: Headers = {}) => ({ method: 'GET', path, headers, body: '' });
const post = (path: string, headers: Headers, body: string) => ({
  method: 'POST',
  path,
  headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
  body,
});

const CONVERSATION = '00000000-0000-4000-8000-000000000000';

const chat = (stream: boolean): string =>
  JSON.stringify({ model: 'scripted', stream, messages: [{ role: 'user', content: 'help' }] });
const response = (stream: boolean): string =>
  JSON.stringify({ model: 'scripted', stream, input: 'help', store: false });
const call = (method: string, params: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const file = [
  '--cut\r\ncontent-disposition: form-data; name="file"; filename="notes.txt"\r\n',
  `content-type: text/plain\r\n\r\n${'a line of notes\n'.repeat(1_500)}\r\n--cut--\r\n`,
].join('');

/** One request at every kind of door that a gateway has, each of which is answered when waited for. */
export async function doorsOf(session: Session): Promise<Door[]> {
  const { base, headers } = session;
  const { host } = new URL(base);
  const server = await discover(base);
  const page = await authorizationUrl(server, await registerApp(server));
  const login = { ...headers, ...JSON_TYPE };
  const mcp = {
    ...JSON_TYPE,
    authorization: `Bearer ${await bearerFor(session, { scope: 'svc:read' })}`,
    accept: 'application/json, text/event-stream',
  };
  const salt = JSON.stringify({ tenant: 'default', name: 'admin' });
  const requests = {
    'a list': post('/api/v3/manager/device/list', login, '{}'),
    'a list of another center': post('/api/v3/data/event_history/list', login, '{}'),
    'a row': get('/api/v3/auth/tenant/get_by_code?code=default', headers),
    'a salt': post('/api/v3/auth/token/salt', JSON_TYPE, salt),
    'an import': post(
      '/api/v3/manager/device/import',
      { ...headers, 'content-type': 'text/csv' },
      `deviceName\n${'a,b,c\n'.repeat(2_000)}`,
    ),
    'a chat': post('/api/v3/agentic/chat/completions', login, chat(false)),
    'a streamed chat': post('/api/v3/agentic/chat/completions', login, chat(true)),
    'a response': post('/api/v3/agentic/responses', login, response(false)),
    'a streamed response': post('/api/v3/agentic/responses', login, response(true)),
    models: get('/api/v3/agentic/models', headers),
    // A conversation takes a few files only: each time another.
    'an upload': post(
      `/api/v3/agentic/attachment/upload?conversation_id=${CONVERSATION}`,
      { ...headers, 'content-type': 'multipart/form-data; boundary=cut' },
      file,
    ),
    'MCP tools': post('/mcp', mcp, call('tools/list', {})),
    'an MCP call': post('/mcp', mcp, call('tools/call', { name: 'searchDevices', arguments: {} })),
    'OAuth metadata': get('/.well-known/oauth-authorization-server'),
    'an OAuth page': get(page.url.pathname + page.url.search, { accept: 'text/html' }),
    'a token': post('/oauth2/token', FORM_TYPE, 'grant_type=client_credentials'),
    health: get('/healthz'),
    readiness: get('/readyz'),
    'the API document': get('/v3/api-docs'),
    'a file': get('/swagger-ui/swagger-ui-bundle.js'),
  };
  return Object.entries(requests).map(([name, { method, path, headers: own, body }]) => {
    const lines = Object.entries({ host, ...own }).map(([key, value]) => `${key}: ${value}\r\n`);
    const head = `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
    const text = head + body;
    return { name, bytes: () => Buffer.from(text.replace(CONVERSATION, randomUUID())) };
  });
}
