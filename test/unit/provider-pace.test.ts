import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, request as secureRequest } from 'node:https';

import { afterEach, describe, expect, it } from 'vitest';

import { eventsOf, type Taker } from '../../providers/request/answer.ts';
import { onDemandAgents } from '../../src/kernel/egress/on-demand.ts';
import { eventually } from '../support/world/eventually.ts';

const key = Buffer.from('0123456789abcdef0123456789abcdef', 'hex');
const known = { ciphers: 'PSK', pskCallback: () => ({ psk: key, identity: 'client' }) };
const checkServerIdentity = () => undefined;

describe.each(['http', 'https'] as const)('a long answer of a vendor by %s', (protocol) => {
  const agents = onDemandAgents();
  const server =
    protocol === 'http'
      ? createServer()
      : createSecureServer({ ciphers: 'PSK', pskCallback: () => key });
  const ask = (port: number) => {
    const to = { host: '127.0.0.1', port };
    return protocol === 'http'
      ? request({ ...to, agent: agents.http })
      : secureRequest({ ...to, ...known, checkServerIdentity, agent: agents.https });
  };
  let res: ServerResponse | null = null;
  afterEach(async () => {
    agents[protocol].destroy();
    server.removeAllListeners('request').closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });

  /** An answer; its events are taken as they come, `handed` has what was handed on together. */
  async function open() {
    server.on('request', (_req, response) => (res = response.writeHead(200)).flushHeaders());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const sent = ask(port).end();
    const [response] = await once(sent, 'response');
    const heard = {
      received() {},
      complete() {},
      isComplete: () => false,
      isPlain: () => true,
    };
    const handed: string[][] = [];
    const left: string[] = [];
    let taken: string[] = [];
    const taker: Taker = {
      take(data) {
        if (data === 'other') return false;
        taken.push(data);
        return true;
      },
      handOn() {
        if (taken.length > 0) handed.push(taken);
        taken = [];
        return undefined;
      },
    };
    const ended = (async () => {
      for await (const batch of eventsOf(response, heard, taker)) left.push(...batch);
    })();
    const say = (...events: string[]): void =>
      void res?.write(events.map((data) => `data: ${data}\n\n`).join(''));
    /** Says each when the one before was handed on. */
    const sayApart = async (texts: readonly string[]): Promise<void> => {
      for (const [at, text] of texts.entries()) {
        say(text);
        await eventually(
          async () => handed.flat().length,
          (count) => count === at + 1,
        );
      }
    };
    return { handed, left, ended, say, sayApart, response, port };
  }

  it('is handed on as it comes at first, then what came within fifty milliseconds together', async () => {
    const { handed, say, sayApart, ended } = await open();
    const texts = Array.from({ length: 24 }, (_, at) => `text ${at}`);
    // The fifth is the last that is read at once.
    await sayApart(texts.slice(0, 5));
    expect(handed.length).toBe(5);
    for (const text of texts.slice(5)) {
      say(text);
      await new Promise((resolve) => setImmediate(resolve));
    }
    res?.end();
    await ended;
    expect(handed.flat()).toEqual(texts);
    // One by one they would be 19 more.
    expect(handed.length).toBeLessThan(5 + 10);
  });

  it('is handed on in few pieces where much of it waits', async () => {
    const { handed, say, sayApart, ended } = await open();
    const texts = Array.from({ length: 105 }, (_, at) => `text ${at}`);
    await sayApart(texts.slice(0, 5));
    const before = handed.length;
    // Each a chunk, and over TLS a record, of its own.
    for (const text of texts.slice(5)) {
      say(text);
      await new Promise((resolve) => process.nextTick(resolve));
    }
    res?.end();
    await ended;
    expect(handed.flat()).toEqual(texts);
    expect(handed.length - before).toBeLessThan(12);
  });

  it('leaves its connection to the next request, and rests no more once it is left', async () => {
    const { sayApart, ended, response, port } = await open();
    await sayApart(Array.from({ length: 6 }, (_, at) => `text ${at}`));
    res?.end();
    await ended;
    expect(response.complete).toBe(true);
    const again = ask(port);
    server.removeAllListeners('request').on('request', (_req, other) => other.end('again'));
    again.end();
    const [second] = await once(again, 'response');
    // Node keeps no connection of a pre-shared key.
    expect(again.reusedSocket).toBe(protocol === 'http');
    let body = '';
    for await (const part of second) body += String(part);
    expect(body).toBe('again');
  });

  it('hands on what was taken before an event that is left to the reader, and before the end', async () => {
    const { handed, left, say, ended } = await open();
    say('one', 'two', 'other', 'three');
    await eventually(
      async () => left.length,
      (count) => count === 2,
    );
    expect([...handed.flat(), ...left]).toEqual(['one', 'two', 'other', 'three']);
    res?.write('data: four\n\ndata: cut off', () => res?.destroy());
    await expect(ended).rejects.toThrow('aborted');
    expect([...handed.flat(), ...left]).toContain('four');
  });
});
