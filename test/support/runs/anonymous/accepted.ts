import { Agent, request } from 'node:http';

import { mostBytes } from '../../../../src/gateway/middleware/body.ts';
import { centers } from '../../../../src/gateway/mount/centers.ts';
import { CHAT_BYTES } from '../../../../src/gateway/mount/chat.ts';
import { MAX_BODY_BYTES } from '../../../../src/mcp/request/http/body.ts';
import { bearerFor } from '../../people/bearer.ts';
import type { Counted } from './counted.ts';
import { largest, largestBodies } from './shapes.ts';

/** What a request costs its main thread is the longest that it can hold it: beyond this, how long it did is looked at. */
const LOOK_MS = 40;
const LOOKS = 3;
const LATE_MS = 60_000;
const KB = 1024;

/** Calls that end the login that makes them, or what it needs. */
const ENDS =
  /password|session\/|\/token\/|tenant\/|\/delete$|\/revoke|stop|disable|lock|switch|local_credential|principal/;

export type Held = { what: string; status: number; heldMs: number };
type Body = { what: string; path: string; type: string; bytes: Buffer; bearer?: string };

const agent = new Agent();

/** Status 0: no answer. */
const send = ({ server, admin }: Counted, { path, type, bytes, bearer }: Body): Promise<number> =>
  new Promise((resolve) => {
    const signal = AbortSignal.timeout(LATE_MS);
    const own = bearer === undefined ? admin.headers : { authorization: `Bearer ${bearer}` };
    const accept = 'application/json, text/event-stream';
    const headers = { ...own, accept, 'content-type': type, 'content-length': bytes.length };
    request(`${server.base}${path}`, { method: 'POST', agent, headers, signal })
      .on('response', (answer) => {
        answer.resume().on('close', () => resolve(answer.statusCode ?? 0));
      })
      .on('error', () => resolve(0))
      .end(bytes);
  });

const JSON_TYPE = 'application/json';
const jsonBody = (what: string, path: string, body: unknown): Body => ({
  what: `${path}, ${what}`,
  path,
  type: JSON_TYPE,
  bytes: Buffer.from(JSON.stringify(body)),
});

function* routeBodies(): Generator<Body> {
  for (const [center, routes] of Object.entries(centers))
    for (const { method, path, needs, file, input } of routes) {
      const whole = `/api/v3/${center}${path}`;
      if (method === 'get' || needs === 'public' || file !== undefined || ENDS.test(whole))
        continue;
      for (const [name, body] of largestBodies(input)) yield jsonBody(name, whole, body);
    }
}

/** Tables, files, chats and MCP, which may be longer than other bodies. */
function* longBodies(bearer: string): Generator<Body> {
  for (const [center, routes] of Object.entries(centers))
    for (const route of routes) {
      const path = `/api/v3/${center}${route.path}`;
      const bytes = mostBytes(route) - 2 * KB * KB;
      if (route.csv === 'body')
        for (const [name, text] of Object.entries(tables(bytes)))
          yield {
            what: `${path}, ${name}`,
            path: `${path}?driverId=1&profileId=1`,
            type: 'text/csv',
            bytes: Buffer.from(text),
          };
      if (route.file !== undefined)
        for (const [name, text] of Object.entries(files(bytes)))
          yield {
            what: `${path}, ${name}`,
            path: `${path}?conversation_id=held`,
            type: 'multipart/form-data; boundary=cut',
            bytes: Buffer.from(
              `--cut\r\ncontent-disposition: form-data; name="file"; filename="notes.txt"\r\n\r\n${text}\r\n--cut--\r\n`,
            ),
          };
    }
  const chat = '/api/v3/agentic/chat/completions';
  const response = '/api/v3/agentic/responses';
  const user = { role: 'user', content: 'help' };
  const room = CHAT_BYTES - 4 * KB;
  for (const [name, value] of Object.entries(largest(room))) {
    const asked = { model: 'scripted', messages: [user] };
    yield jsonBody(`content: ${name}`, chat, {
      ...asked,
      messages: [{ role: 'user', content: value }],
    });
    yield jsonBody(`messages: ${name}`, chat, { ...asked, messages: value });
    yield jsonBody(`tools: ${name}`, chat, { ...asked, tools: value });
    yield jsonBody(`metadata: ${name}`, chat, { ...asked, metadata: value });
    yield jsonBody(`input: ${name}`, response, { model: 'scripted', store: false, input: value });
  }
  const many = Array.from({ length: 4_000 }, (_, index) => ({
    role: index % 2 ? 'assistant' : 'user',
    content: 'x'.repeat(2_500),
  }));
  yield jsonBody('many messages', chat, { model: 'scripted', messages: [...many, user] });
  const url = `data:image/png;base64,${'A'.repeat(room - KB)}`;
  const image = { role: 'user', content: [{ type: 'image_url', image_url: { url } }] };
  yield jsonBody('an image', chat, { model: 'scripted', messages: [image] });
  for (const [name, value] of Object.entries(largest(MAX_BODY_BYTES - 4 * KB))) {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
    const params = { name: 'searchDevices', arguments: { query: value } };
    yield { ...jsonBody(`arguments: ${name}`, '/mcp', { ...call, params }), bearer };
    yield { ...jsonBody(`params: ${name}`, '/mcp', { ...call, params: value }), bearer };
    yield { ...jsonBody(name, '/mcp', value), bearer };
  }
}

const tables = (bytes: number): Record<string, string> => ({
  'short rows': 'deviceName\n'.padEnd(bytes, 'a\n'),
  'long rows': `deviceName\n${`${'x'.repeat(4_000)}\n`.repeat(bytes / 4_001)}`,
  'wide rows': `deviceName\n${`${'a,'.repeat(100_000)}\n`.repeat(bytes / 200_001)}`,
  'an open quote': `deviceName\n"${'x'.repeat(bytes)}`,
  quotes: `deviceName\n${`${'""'.repeat(1_000)}\n`.repeat(bytes / 2_001)}`,
  'empty lines': `deviceName\n${'\n'.repeat(bytes)}`,
  'many titles': `${'title,'.repeat(bytes / 6)}\n`,
});

const files = (bytes: number): Record<string, string> => ({
  text: 'a line of notes\n'.repeat(bytes / 16),
  'one line': 'x'.repeat(bytes),
  'wide letters': '語'.repeat(bytes / 3),
  'a broken PDF': `%PDF-1.7\n${'1 0 obj\n<<>>\nendobj\n'.repeat(bytes / 20)}`,
  'a broken image': `\u0089PNG\r\n${'x'.repeat(bytes)}`,
});

/** Sends the largest bodies that each way in reads of a caller that may, and finds how long each held the event loop. */
export async function holdsOf(counted: Counted, step = 1): Promise<Held[]> {
  const bearer = await bearerFor(counted.admin, { scope: 'svc:read svc:propose' });
  const holds: Held[] = [];
  let index = 0;
  for (const bodies of [longBodies(bearer), routeBodies()])
    for (const body of bodies) {
      index += 1;
      if (index % step === 0) holds.push(await holdOf(counted, body));
    }
  return holds;
}

async function holdOf(counted: Counted, body: Body): Promise<Held> {
  await counted.take();
  const status = await send(counted, body);
  const { answered } = await counted.take();
  const mainMs = Math.max(0, ...answered.map(({ mainUs }) => mainUs)) / 1_000;
  if (mainMs <= LOOK_MS) return { what: body.what, status, heldMs: mainMs };
  // The first may compile code: the shortest is that of the body.
  let heldMs = Number.POSITIVE_INFINITY;
  for (let look = 0; look < LOOKS; look += 1) {
    await counted.take('hold');
    await send(counted, body);
    heldMs = Math.min(heldMs, (await counted.take()).heldMs);
  }
  return { what: body.what, status, heldMs };
}
