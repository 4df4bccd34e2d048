import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';

import { afterEach, describe, expect, it } from 'vitest';

import { eventsOf, type Taker } from '../../providers/answer.ts';
import { onDemandAgents } from '../../src/core/egress/on-demand.ts';
import { eventually } from '../support/world/eventually.ts';

describe('a long answer of a vendor', () => {
  const agents = onDemandAgents();
  const server = createServer();
  let res: ServerResponse | null = null;
  afterEach(async () => {
    agents.http.destroy();
    server.removeAllListeners('request').closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });

  /** An answer whose events are taken as they come; `handed` has what was handed on together. */
  async function open() {
    server.on('request', (_req, response) => (res = response.writeHead(200)).flushHeaders());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const sent = request({ host: '127.0.0.1', port, agent: agents.http }).end();
    const [response] = await once(sent, 'response');
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
      for await (const batch of eventsOf(response, () => {}, taker)) left.push(...batch);
    })();
    const say = (...events: string[]): void =>
      void res?.write(events.map((data) => `data: ${data}\n\n`).join(''));
    return { handed, left, ended, say, response, port };
  }

  it('is handed on as it comes at first, then what came within forty milliseconds together', async () => {
    const { handed, say, ended } = await open();
    const texts = Array.from({ length: 24 }, (_, at) => `text ${at}`);
    for (const [at, text] of texts.slice(0, 4).entries()) {
      say(text);
      await eventually(
        async () => handed.length,
        (count) => count === at + 1,
      );
    }
    // The fifth is the last that is read at once.
    say(texts[4] ?? '');
    await eventually(
      async () => handed.length,
      (count) => count === 5,
    );
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

  it('leaves its connection to the next request, and rests no more once it is left', async () => {
    const { handed, say, ended, response, port } = await open();
    for (let at = 0; at < 6; at += 1) {
      say(`text ${at}`);
      await eventually(
        async () => handed.flat().length,
        (count) => count === at + 1,
      );
    }
    res?.end();
    await ended;
    expect(response.complete).toBe(true);
    const again = request({
      host: '127.0.0.1',
      port,
      agent: agents.http,
    });
    server.removeAllListeners('request').on('request', (_req, other) => other.end('again'));
    again.end();
    const [second] = await once(again, 'response');
    expect(again.reusedSocket).toBe(true);
    let body = '';
    for await (const part of second) body += String(part);
    expect(body).toBe('again');
  });

  it('hands on what was taken before an event that is left to the reader, and before the end', async () => {
    const { handed, left, say, ended } = await open();
    const order: string[] = [];
    say('one', 'two', 'other', 'three');
    await eventually(
      async () => left.length,
      (count) => count === 2,
    );
    order.push(...handed.flat(), ...left);
    expect(order).toEqual(['one', 'two', 'other', 'three']);
    res?.write('data: four\n\ndata: cut off', () => res?.destroy());
    await expect(ended).rejects.toThrow('aborted');
    expect([...handed.flat(), ...left]).toContain('four');
  });
});
