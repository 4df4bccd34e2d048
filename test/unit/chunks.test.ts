import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { chunksOf } from '../../src/kernel/request/chunks.ts';
import { eventually } from '../support/world/eventually.ts';

const TEXTS = [
  'one',
  '',
  'zwei – 二',
  '\r\n0\r\n\r\n',
  'é',
  'x'.repeat(70_000),
  '🌡'.repeat(20_000),
];

describe('a response in chunks', () => {
  const server = createServer();
  let port: number;
  let clients: Socket[];

  beforeEach(async () => {
    clients = [];
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    port = typeof address === 'object' && address ? address.port : 0;
  });
  afterEach(async () => {
    for (const client of clients) client.destroy();
    server.removeAllListeners('request');
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });

  const answers = (answer: (res: ServerResponse, req: IncomingMessage) => void): void =>
    void server.on('request', (req, res) => answer(res, req));

  /** Everything that comes for what is sent until the connection is closed or is silent. */
  function raw(sent: string): { heard: () => string; client: Socket } {
    const client = connect(port, '127.0.0.1').on('error', () => {});
    clients.push(client);
    const parts: Buffer[] = [];
    client.on('data', (bytes) => parts.push(Buffer.from(bytes)));
    client.write(sent);
    return { heard: () => Buffer.concat(parts).toString(), client };
  }

  it('is whole, and its connection serves the next request', async () => {
    answers((res) => {
      const chunks = chunksOf(res);
      const rest = [...TEXTS];
      // Some in the tick of the first, the others in later ones.
      const next = (): void => {
        for (const text of rest.splice(0, 2)) chunks.write(text);
        if (rest.length > 0) setImmediate(next);
        else res.end('last');
      };
      next();
    });
    for (let turn = 0; turn < 3; turn += 1) {
      const sent = request({ port, host: '127.0.0.1', method: 'POST' }).end();
      const [res] = await once(sent, 'response');
      expect(res.headers['transfer-encoding']).toBe('chunked');
      const parts: Buffer[] = [];
      for await (const part of res) parts.push(part);
      expect(Buffer.concat(parts).toString()).toBe(`${TEXTS.join('')}last`);
      expect(sent.reusedSocket).toBe(turn > 0);
    }
  });

  it('has no chunks for HTTP/1.0', async () => {
    answers((res) => {
      const chunks = chunksOf(res);
      for (const text of ['one', 'two', 'three']) chunks.write(text);
      res.end();
    });
    const { heard, client } = raw('GET / HTTP/1.0\r\n\r\n');
    await once(client, 'end');
    expect(heard().split('\r\n\r\n')[1]).toBe('onetwothree');
  });

  it('has no body for HEAD', async () => {
    answers((res) => {
      const chunks = chunksOf(res.writeHead(200));
      for (const text of ['one', 'two', 'three']) chunks.write(text);
      res.end('four');
    });
    const { heard, client } = raw('HEAD / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    await once(client, 'end');
    expect(heard()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(heard().split('\r\n\r\n')).toEqual([expect.any(String), '']);
  });

  it('comes after the answer to an earlier request of its connection', async () => {
    const responses: ServerResponse[] = [];
    answers((res) => responses.push(res));
    const ask = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
    const { heard } = raw(ask('/first') + ask('/second'));
    await eventually(
      async () => responses.length,
      (count) => count === 2,
    );
    const [first, second] = responses.map((res) => ({ res, chunks: chunksOf(res) }));
    second?.chunks.write('[second');
    second?.chunks.write(' begins]');
    first?.chunks.write('[first');
    first?.chunks.write(' begins]');
    first?.res.end('[first ends]');
    second?.chunks.write('[second goes on]');
    second?.res.end('[second ends]');
    const texts = () =>
      heard()
        .match(/\[?(first|second| begins|\[| goes on| ends)+\]?/g)
        ?.join('');
    await eventually(
      async () => texts(),
      (text) => text?.endsWith('[second ends]') ?? false,
    );
    expect(texts()).toBe('[first begins][first ends][second begins][second goes on][second ends]');
  });

  it('says that it is full, and once that there is room', async () => {
    let drains = 0;
    let chunks: ReturnType<typeof chunksOf> | undefined;
    answers((res) => {
      res.on('drain', () => (drains += 1));
      chunks = chunksOf(res);
    });
    const { client, heard } = raw('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    client.pause();
    await eventually(
      async () => chunks,
      (given) => given !== undefined,
    );
    let written = 0;
    while (written < 1_000 && chunks?.write('y'.repeat(100_000))) written += 1;
    chunks?.write('z');
    expect(written).toBeLessThan(1_000);
    expect(chunks?.isFull()).toBe(true);
    expect(drains).toBe(0);
    client.resume();
    await eventually(
      async () => drains,
      (count) => count > 0,
    );
    expect(drains).toBe(1);
    expect(chunks?.isFull()).toBe(false);
    expect(chunks?.write('end')).toBe(true);
    await eventually(
      async () => heard(),
      (text) => text.endsWith('end\r\n'),
    );
  });

  it('takes writes after its client has left', async () => {
    let res: ServerResponse | undefined;
    answers((response) => (res = response));
    const { client } = raw('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await eventually(
      async () => res,
      (given) => given !== undefined,
    );
    if (!res) return;
    const chunks = chunksOf(res);
    chunks.write('one');
    chunks.write('two');
    client.destroy();
    await once(res, 'close');
    for (let at = 0; at < 3; at += 1) expect(chunks.write('three')).toBe(false);
    res.end();
  });
});
