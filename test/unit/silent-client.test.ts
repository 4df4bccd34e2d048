import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';

import { afterEach, describe, expect, it } from 'vitest';

import { listen, type Listener } from '../../src/kernel/request/listen.ts';
import { eventually } from '../support/world/eventually.ts';
import { ShiftedClock } from '../support/world/shifted-clock.ts';

/** Looks often, and counts seconds as it is told. */
class QuickClock extends ShiftedClock {
  override every(_ms: number, run: () => Promise<void> | void): () => void {
    return super.every(20, run);
  }
}

describe('a connection', () => {
  const clock = new QuickClock();
  let listener: Listener;
  let client: Socket;
  afterEach(async () => {
    client.destroy();
    await listener.stop();
  });
  const open = async (handler: RequestListener, text: string): Promise<void> => {
    listener = await listen(clock, '127.0.0.1', 0);
    listener.serve(handler);
    client = connect(listener.port, '127.0.0.1');
    client.on('error', () => {});
    await once(client, 'connect');
    client.write(text);
  };
  const get = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';

  it('ends when its client takes nothing of an answer for 30 seconds', async () => {
    const ended = Promise.withResolvers<void>();
    await open((_req, res) => {
      res.on('close', () => ended.resolve()).write(Buffer.alloc(64 * 1024 * 1024));
    }, get);
    client.pause();
    const moving = setInterval(() => clock.shift(1_000), 20);
    await ended.promise;
    clearInterval(moving);
  });

  it('ends when its client sends nothing of a body for 30 seconds', async () => {
    const ended = Promise.withResolvers<void>();
    await open((req, res) => {
      req.resume();
      res.on('close', () => ended.resolve());
    }, 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n{}');
    const moving = setInterval(() => clock.shift(1_000), 20);
    await ended.promise;
    clearInterval(moving);
  });

  it('stays while its client waits for an answer, however long', async () => {
    const asked = Promise.withResolvers<() => void>();
    await open((_req, res) => asked.resolve(() => res.end('late')), get);
    const answer = await asked.promise;
    let looks = 0;
    const stop = clock.every(0, () => {
      clock.shift(10_000);
      looks += 1;
    });
    await eventually(
      async () => looks,
      (n) => n > 20,
    );
    stop();
    answer();
    const [text] = await once(client, 'data');
    expect(String(text)).toContain('late');
  });

  it.each(['host', 'authorization'])('that brings %s twice is refused', async (name) => {
    let asked = 0;
    await open(() => {
      asked += 1;
    }, `GET / HTTP/1.1\r\nhost: x\r\n${name}: a\r\n${name.toUpperCase()}: b\r\n\r\n`);
    const [text] = await once(client, 'data');
    expect(String(text)).toMatch(/^HTTP\/1\.1 400 /);
    expect(asked).toBe(0);
  });
});
