import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { signPrincipal } from '../../src/auth/credential/trust.ts';
import { prepared } from '../support/world/prepared.ts';
import { startSplit } from '../support/world/split.ts';

type Answer = (req: IncomingMessage, res: ServerResponse) => void;

/** A center in the place of ours, which shows what reaches it and misbehaves as it is told. */
class Neighbour {
  answer: Answer = (_req, res) => res.end('{}');
  readonly #server: Server;
  readonly requests: IncomingMessage[] = [];

  constructor() {
    this.#server = createServer((req, res) => {
      this.requests.push(req);
      this.answer(req, res);
    });
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  }

  headers(): Record<string, unknown> {
    return this.requests.at(-1)?.headers ?? {};
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

describe('between the gateway and a center', () => {
  let base: string;
  const neighbour = new Neighbour();
  const split = prepared(startSplit);
  beforeAll(async () => {
    const url = await neighbour.listen();
    const gateway = await split.start({
      SVC_ROLES: 'gateway',
      SVC_PORT: '0',
      SVC_AUTH_URL: url,
      SVC_MANAGER_URL: `${url}/behind/a/path`,
      SVC_AGENTIC_URL: url,
    });
    base = `http://127.0.0.1:${gateway.ports.gateway}`;
  });

  afterEach(() => {
    neighbour.answer = (_req, res) => res.end('{}');
  });
  afterAll(async () => {
    await split.stop();
    neighbour.close();
  });

  const chat = (init: RequestInit = {}) =>
    fetch(`${base}/api/v3/agentic/chat/completions`, {
      method: 'POST',
      headers: { ...split.admin.headers, 'content-type': 'application/json' },
      body: '{"stream":true}',
      ...init,
    });
  const list = (headers: Record<string, string> = split.admin.headers) =>
    fetch(`${base}/api/v3/manager/device/list?size=1`, { method: 'POST', headers, body: '{}' });

  it('goes the path below the prefix, the principal and nothing of the login', async () => {
    await list({
      ...split.admin.headers,
      'content-type': 'application/json',
      'x-forwarded-for': '10.0.0.1',
      'x-real-ip': '10.0.0.1',
      cookie: 'a=b',
      connection: 'keep-alive',
      'x-anything': 'else',
    });
    expect(neighbour.requests.at(-1)?.url).toBe('/behind/a/path/device/list?size=1');
    const { host: _, 'x-auth-principal': principal, ...headers } = neighbour.headers();
    expect(JSON.parse(String(principal))).toMatchObject({
      tenantId: split.admin.tenantId,
      principalName: 'admin',
      via: 'login',
    });
    expect(headers).toEqual({
      accept: '*/*',
      connection: 'keep-alive',
      'content-length': '2',
      'content-type': 'application/json',
      // The socket's address, as no proxy is trusted here, with its time and signature.
      'x-auth-address': expect.stringMatching(/^127\.0\.0\.1 \d{13} [0-9a-f]{64}$/),
      'x-auth-sign': expect.stringMatching(/^[0-9a-f]{64}$/),
      'x-request-id': expect.any(String),
    });
  });

  it('never goes a principal from outside, even a well signed one', async () => {
    const { principal, sign } = signPrincipal(split.gateway.app, {
      tenantId: split.admin.tenantId,
      principalId: '1',
      principalType: 'USER',
      name: 'admin',
      via: 'login',
      permissions: new Set(),
    });
    const forged = { 'x-auth-principal': principal, 'x-auth-sign': sign ?? '' };
    const send = (path: string) =>
      fetch(`${base}/api/v3/${path}`, { method: 'POST', headers: forged });
    // Without another credential these go no further.
    for (const path of ['manager/device/list', 'agentic/chat/completions'])
      expect((await send(path)).status, path).toBe(401);
    for (const path of ['manager/nothing', 'auth/token/salt']) {
      await send(path);
      expect(neighbour.headers(), path).not.toHaveProperty('x-auth-principal');
      expect(neighbour.headers(), path).not.toHaveProperty('x-auth-sign');
    }
    await list({ ...split.admin.headers, ...forged });
    expect(neighbour.headers()['x-auth-principal']).not.toBe(principal);
  });

  it('comes back status, headers and body, but not what belongs to one connection', async () => {
    neighbour.answer = (_req, res) => {
      res.writeHead(418, {
        'content-type': 'text/plain',
        'set-cookie': ['a=1', 'b=2'],
        'x-own': 'kept',
        'x-hop': 'dropped',
        connection: 'x-hop',
        'keep-alive': 'timeout=99',
      });
      res.end('short and stout');
    };
    const answer = await list();
    expect([answer.status, await answer.text()]).toEqual([418, 'short and stout']);
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(answer.headers.get('x-own')).toBe('kept');
    expect(answer.headers.get('x-hop')).toBeNull();
    expect(answer.headers.get('keep-alive')).not.toBe('timeout=99');
  });

  it('stays one connection over many requests', async () => {
    const ports = new Set<unknown>();
    for (let i = 0; i < 5; i += 1) {
      await (await list()).text();
      ports.add(neighbour.requests.at(-1)?.socket.remotePort);
    }
    expect(ports.size).toBe(1);
  });

  it('passes a stream on piece by piece', async () => {
    const next = Promise.withResolvers<void>();
    neighbour.answer = (_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('data: 1\n\n');
      void next.promise.then(() => res.end('data: 2\n\n'));
    };
    const answer = await chat();
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    const reader = answer.body?.getReader();
    const read = async () => Buffer.from((await reader?.read())?.value ?? '').toString();
    expect(await read()).toBe('data: 1\n\n');
    next.resolve(); // the second piece is not even made before the first was read
    expect(await read()).toBe('data: 2\n\n');
    expect((await reader?.read())?.done).toBe(true);
  });

  it('passes the head of a stream on before its first piece', async () => {
    let finish = (): void => {};
    neighbour.answer = (_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      finish = () => res.end();
    };
    const answer = await chat();
    expect(answer.status).toBe(200);
    finish();
    expect(await answer.text()).toBe('');
  });

  it.each(['before the answer', 'in the middle of it'])(
    'ends when the client leaves %s',
    async (when) => {
      const reached = Promise.withResolvers<ServerResponse>();
      neighbour.answer = (_req, res) => {
        if (when !== 'before the answer') res.writeHead(200).write('a piece');
        reached.resolve(res);
      };
      const left = new AbortController();
      const asked = chat({ signal: left.signal })
        .then((answer) => answer.text())
        .catch((error: unknown) => error);
      const response = await reached.promise;
      const closed = once(response, 'close');
      left.abort();
      await closed;
      expect(response.writableFinished).toBe(false);
      expect(await asked).toMatchObject({ name: 'AbortError' });
    },
  );

  it('breaks for the client when it breaks in the middle', async () => {
    neighbour.answer = (req, res) => {
      res.writeHead(200, { 'content-length': '100' }).write('a piece');
      setImmediate(() => req.socket.destroy());
    };
    const answer = await list().catch(() => null);
    await expect(answer?.text() ?? Promise.reject(new Error('broken'))).rejects.toThrow();
  });

  it.each<[string, Answer]>([
    ['closes without an answer', (req) => req.socket.destroy()],
    ['answers what is not HTTP', (req) => req.socket.end('hello\r\n\r\n')],
  ])('is 503 when the center %s', async (_what, misbehave) => {
    neighbour.answer = misbehave;
    const answer = await list();
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { ok: false, code: 'R503', message: 'The manager center is not there now' },
    ]);
    const turn = await chat();
    expect(turn.status).toBe(503);
    expect(await turn.json()).toMatchObject({ error: { code: 'service_unavailable' } });
  });

  it('survives every byte a path may hold', async () => {
    const { hostname, port } = new URL(base);
    for (const path of ['/%00', '/%', '//', '/../../x', '/a?b=%zz', '/\u00ff', '/a#b']) {
      const socket = connect(Number(port), hostname);
      const head = `GET /api/v3/manager${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`;
      socket.write(Buffer.from(head, 'latin1'));
      let text = '';
      for await (const chunk of socket) text += String(chunk);
      expect(text, path).toMatch(/^HTTP\/1\.1 (200|4\d\d) /);
    }
    expect((await list()).status).toBe(200);
  });
});
