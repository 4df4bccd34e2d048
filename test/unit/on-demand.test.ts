import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer, request as secureRequest } from 'node:https';

import { afterEach, describe, expect, it } from 'vitest';

import { onDemandAgents } from '../../src/kernel/egress/on-demand.ts';
import { eventually } from '../support/world/eventually.ts';

const key = Buffer.from('0123456789abcdef0123456789abcdef', 'hex');
const ciphers = 'PSK';
const WAYS = {
  http: (answer: (req: IncomingMessage, res: ServerResponse) => void): Server =>
    createServer(answer),
  https: (answer: (req: IncomingMessage, res: ServerResponse) => void): Server =>
    createSecureServer({ ciphers, pskCallback: () => key }, answer),
};

describe.each(['http', 'https'] as const)('a connection by %s that reads on demand', (protocol) => {
  const agents = onDemandAgents();
  let server: Server | null = null;
  afterEach(() => {
    agents[protocol].destroy();
    server?.closeAllConnections();
    server?.close();
  });

  async function asked(
    answer: (res: ServerResponse) => void,
  ): Promise<() => Promise<{ response: IncomingMessage; reused: boolean }>> {
    server = WAYS[protocol]((_req, res) => answer(res));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    return async () => {
      const to = { host: '127.0.0.1', port };
      const known = { ciphers, pskCallback: () => ({ psk: key, identity: 'client' }) };
      const sent =
        protocol === 'http'
          ? request({ ...to, agent: agents.http })
          : secureRequest({
              ...to,
              ...known,
              agent: agents.https,
              checkServerIdentity: () => undefined,
            });
      sent.end();
      const [response] = await once(sent, 'response');
      return { response, reused: sent.reusedSocket };
    };
  }

  it('reads nothing while it is paused, and then all', async () => {
    let body: ServerResponse | undefined;
    const ask = await asked((res) => {
      body = res;
      res.write('begin ');
    });
    const { response } = await ask();
    const parts: Buffer[] = [];
    const ended = once(response, 'end');
    response.on('data', (part: Buffer) => parts.push(part));
    await eventually(
      async () => Buffer.concat(parts).toString(),
      (text) => text === 'begin ',
    );
    response.socket.pause();
    const before = response.socket.bytesRead;
    for (let at = 0; at < 20; at += 1) {
      await new Promise<unknown>((resolve) => body?.write(`${at} `, resolve));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(response.socket.bytesRead).toBe(before);
    expect(Buffer.concat(parts).toString()).toBe('begin ');
    response.socket.resume();
    body?.end('end');
    await ended;
    const numbers = Array.from({ length: 20 }, (_, at) => `${at} `).join('');
    expect(Buffer.concat(parts).toString()).toBe(`begin ${numbers}end`);
  });

  it('serves one request after the other, whole, also to a slow reader', async () => {
    const large = Buffer.alloc(3_000_000, 'räuber ');
    const ask = await asked((res) => res.end(large));
    for (let turn = 0; turn < 3; turn += 1) {
      const { response, reused } = await ask();
      // Node keeps no connection of a pre-shared key.
      expect(reused).toBe(turn > 0 && protocol === 'http');
      const parts: Buffer[] = [];
      for await (const part of response) {
        parts.push(part);
        if (parts.length % 16 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      }
      expect(Buffer.concat(parts).equals(large)).toBe(true);
    }
  });
});
