import { createSocket } from 'node:dgram';
import type { Socket } from 'node:dgram';
import { once } from 'node:events';

import type { IncomingMessage, Server } from 'coap';
import { Agent, createServer, request } from 'coap';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { OutgoingRequest } from '../../../driver/coap/endpoint.ts';
import { Code } from '../../../driver/coap/endpoint.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import type { TestedEndpoint } from '../../support/devices/coap.ts';
import { LARGE, openTestedEndpoint } from '../../support/devices/coap.ts';
import type { LossyProxy } from '../../support/devices/udp.ts';
import { openLossyProxy } from '../../support/devices/udp.ts';
import { seeded } from '../../support/world/seeded.ts';

const HOST = '127.0.0.1';

/** Time passes a hundred times as fast, so that retransmissions of seconds take hundredths. */
const fastClock = {
  now: () => systemClock.now() * 100,
  elapsed: () => systemClock.elapsed() * 100,
  after: (ms: number, run: () => void) => systemClock.after(ms / 100, run),
  every: (ms: number, run: () => Promise<void> | void) => systemClock.every(ms / 100, run),
};

describe('npm coap as a client of ours', () => {
  let endpoint: TestedEndpoint;
  let agent: Agent;

  beforeEach(async () => {
    endpoint = await openTestedEndpoint();
    agent = new Agent({ type: 'udp4' });
  });

  afterEach(async () => {
    agent.close();
    await endpoint.close();
  });

  async function ask(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    pathname: string,
    part: { query?: string; payload?: Buffer; block1?: number; confirmable?: boolean } = {},
  ): Promise<IncomingMessage> {
    const { query = '', payload, block1, confirmable = true } = part;
    const { port } = endpoint;
    const outgoing = request({ hostname: HOST, port, method, pathname, query, confirmable, agent });
    if (block1 !== undefined) outgoing.setOption('Block1', Buffer.of(block1));
    outgoing.end(payload);
    const [response]: IncomingMessage[] = await once(outgoing, 'response');
    if (!response) throw new Error('no response');
    return response;
  }

  it.each([true, false])('gets, puts, posts and deletes, confirmable: %s', async (confirmable) => {
    const got = await ask('GET', '/hello', { confirmable });
    expect([got.code, got.payload.toString()]).toEqual(['2.05', 'hi']);
    expect((await ask('GET', '/absent', { confirmable })).code).toBe('4.04');
    expect((await ask('PUT', '/3/0', { payload: Buffer.from('1'), confirmable })).code).toBe(
      '2.04',
    );
    expect((await ask('DELETE', '/rd/a1', { confirmable })).code).toBe('2.02');
    const registered = await ask('POST', '/rd', { query: 'ep=dev-1&lt=60', confirmable });
    expect(registered.code).toBe('2.01');
    const location = ['rd', 'a1'].map((part) => ({
      name: 'Location-Path',
      value: part,
    }));
    expect(Reflect.get(registered, 'options')).toEqual(location); // missing in its types
    expect(endpoint.requests.map(({ method, path, query }) => ({ method, path, query }))).toEqual([
      { method: 'GET', path: ['hello'], query: [] },
      { method: 'GET', path: ['absent'], query: [] },
      { method: 'PUT', path: ['3', '0'], query: [] },
      { method: 'DELETE', path: ['rd', 'a1'], query: [] },
      { method: 'POST', path: ['rd'], query: ['ep=dev-1', 'lt=60'] },
    ]);
  });

  it.each([6, 2, 0])('uploads 5,000 bytes in blocks of size exponent %i', async (block1) => {
    const response = await ask('PUT', '/large', { payload: LARGE, block1 });
    expect(response.code).toBe('2.04');
    expect(endpoint.requests).toHaveLength(1);
    expect(endpoint.requests[0]?.payload).toEqual(LARGE);
  });

  it('downloads 5,000 bytes', async () => {
    const response = await ask('GET', '/large');
    expect(response.code).toBe('2.05');
    expect(response.payload).toEqual(LARGE);
  });
});

describe('npm coap as a server to us', () => {
  let endpoint: TestedEndpoint;
  let server: Server;
  let socket: Socket;
  let proxy: LossyProxy;
  const seen: { method: string; url: string; payload: string }[] = [];
  const random = seeded(5683);
  let loss = 0;

  beforeEach(async () => {
    endpoint = await openTestedEndpoint({ clock: fastClock });
    seen.length = 0;
    server = createServer({ type: 'udp4' }, (incoming, outgoing) => {
      const { method, url, payload } = incoming;
      seen.push({ method: method ?? '', url, payload: payload.toString() });
      if (method !== 'GET') outgoing.code = '2.04';
      if (url === '/large') outgoing.end(LARGE);
      else outgoing.end(method === 'GET' ? '21.5' : undefined);
    });
    socket = createSocket('udp4').bind(0, HOST);
    await once(socket, 'listening');
    server.listen(socket);
    const { port } = socket.address();
    proxy = await openLossyProxy(port, () => (random() < loss ? 'drop' : 'pass'));
  });

  afterEach(async () => {
    loss = 0;
    await proxy.close();
    await new Promise((resolve) => {
      server.close(() => resolve(null));
    });
    await endpoint.close();
  });

  const ask = (part: Omit<OutgoingRequest, 'deadline'>) =>
    endpoint.request(
      { address: HOST, port: proxy.port },
      { ...part, deadline: fastClock.now() + 3_600_000 },
    );

  it('answers a GET and a PUT', async () => {
    const got = await ask({ method: 'GET', path: ['3303', '0', '5700'], query: ['a=1'] });
    expect([got.code, got.payload.toString()]).toEqual([Code.CONTENT, '21.5']);
    const put = await ask({
      method: 'PUT',
      path: ['3308', '0', '5900'],
      contentFormat: 0,
      payload: Buffer.from('21'),
    });
    expect(put.code).toBe(Code.CHANGED);
    expect(seen).toEqual([
      { method: 'GET', url: '/3303/0/5700?a=1', payload: '' },
      { method: 'PUT', url: '/3308/0/5900', payload: '21' },
    ]);
  });

  it('has 5,000 bytes fetched from it', async () => {
    expect((await ask({ method: 'GET', path: ['large'] })).payload).toEqual(LARGE);
  });

  it('is understood although a quarter of the datagrams is lost', async () => {
    loss = 1 / 4;
    for (let round = 0; round < 8; round++) {
      const got = await ask({ method: 'GET', path: ['3303', '0', '5700'] });
      expect(got.payload.toString()).toBe('21.5');
    }
    expect(proxy.dropped).toBeGreaterThan(2);
    expect(endpoint.stats().retransmissions).toBeGreaterThan(2);
  });
});
