import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { openStream } from '../../src/kernel/request/event-stream.ts';
import { TestClock } from '../support/world/clock.ts';
import { eventually } from '../support/world/eventually.ts';

const KEEP_ALIVE_MS = 15_000;
const large = `data: ${'x'.repeat(100_000)}\n\n`;

describe('a stream of events', () => {
  const server = createServer();
  let clock: TestClock;
  let client: Socket;
  let response: ServerResponse;
  const seen = { room: 0, closed: 0 };
  const open = () =>
    openStream(clock, response, {
      room: () => (seen.room += 1),
      closed: () => (seen.closed += 1),
    });

  beforeEach(async () => {
    clock = new TestClock();
    Object.assign(seen, { room: 0, closed: 0 });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    client = connect(port, '127.0.0.1').on('error', () => {});
    client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    [, response] = await once(server, 'request');
  });
  afterEach(async () => {
    client.destroy();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });

  /** Writes until nothing more is taken. */
  const fill = (stream: ReturnType<typeof open>): void => {
    for (let n = 0; n < 1_000 && stream.write(large); n += 1);
  };

  it('takes no more than one write beyond what its client reads, and is cut after two keep-alives', async () => {
    const stream = open();
    stream.begin();
    fill(stream);
    // What the sockets of the system take leaves at once.
    await eventually(
      async () => {
        fill(stream);
        await clock.advance(1);
        return stream.write(large);
      },
      (isTaken) => !isTaken,
    );
    expect(response.writableLength).toBeLessThan(3 * large.length);
    await clock.advance(KEEP_ALIVE_MS);
    expect(response.destroyed).toBe(false);
    await clock.advance(KEEP_ALIVE_MS);
    expect(response.destroyed).toBe(true);
    await eventually(
      async () => seen.closed,
      (count) => count === 1,
    );
    expect(clock.pending).toBe(0);
  });

  it('says when a client that was slow reads on, and is kept then', async () => {
    const stream = open();
    stream.begin();
    fill(stream);
    client.resume();
    await eventually(
      async () => seen.room,
      (count) => count > 0,
    );
    await clock.advance(2 * KEEP_ALIVE_MS);
    expect(response.destroyed).toBe(false);
    expect(stream.write('data: x\n\n')).toBe(true);
  });

  it('that ends before it begins says its last message alone', async () => {
    const stream = open();
    expect(stream.write(large)).toBe(false);
    stream.end('data: last\n\n');
    stream.begin();
    expect(stream.write(large)).toBe(false);
    let heard = '';
    client.on('data', (bytes) => (heard += String(bytes)));
    await eventually(
      async () => heard,
      (text) => text.includes('last'),
    );
    expect(heard).not.toContain('xxx');
    expect(clock.pending).toBe(0);
  });
});
