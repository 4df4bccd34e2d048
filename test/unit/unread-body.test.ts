import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, expect, it } from 'vitest';

import { systemClock } from '../../src/kernel/clock.ts';
import { readBody, readJson } from '../../src/kernel/request/body.ts';
import { listen, type Listener } from '../../src/kernel/request/listen.ts';
import { openSlots } from '../../src/kernel/slot.ts';
import { eventually } from '../support/world/eventually.ts';

const app = { of: openSlots(systemClock, 'embedded') };
const HEAD = 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n';
const CHUNK = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
/** What Node reads at once. */
const PIECE = 64 * 1024;
/** How long an answer takes to be made. */
const ANSWER_MS = 50;

let listener: Listener;
let client: Socket;
afterEach(async () => {
  client.destroy();
  await listener.stop();
});

it.each(['', 'expect: 100-continue\r\n', 'expect: a-cake\r\n'])(
  'is not read beyond the piece that was too much, with %j',
  async (expectation) => {
    listener = await listen(systemClock, '127.0.0.1', 0);
    const taken = Promise.withResolvers<Socket>();
    listener.serve((req, res) => {
      taken.resolve(req.socket);
      const reading = { req, res, limit: 16 * 1024, sender: { source: 'x' }, app };
      void readBody(reading).catch(async () => {
        await sleep(ANSWER_MS);
        res.writeHead(413).end();
      });
    });
    client = connect(listener.port, '127.0.0.1');
    client.on('error', () => {});
    await once(client, 'connect');
    const head = `${HEAD}${expectation}\r\n`;
    client.write(head);
    const socket = await taken.promise;
    client.write(CHUNK.repeat(64));
    await once(client, 'data');
    await eventually(
      async () => socket.destroyed,
      (isDestroyed) => isDestroyed,
    );
    expect(socket.bytesRead).toBeLessThanOrEqual(head.length + PIECE);
  },
);

it('is read away where it is short, and the connection kept', async () => {
  listener = await listen(systemClock, '127.0.0.1', 0);
  const statuses: number[] = [];
  listener.serve((req, res) => {
    const reading = { req, res, limit: 16 * 1024, sender: { source: 'x' }, app };
    void readJson(reading).then(
      () => res.writeHead(200).end(),
      () => res.writeHead(413).end(),
    );
    res.once('finish', () => statuses.push(res.statusCode));
  });
  client = connect(listener.port, '127.0.0.1');
  await once(client, 'connect');
  const deep = '['.repeat(8 * 1024);
  client.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${2 * deep.length}\r\n\r\n${deep}`);
  await once(client, 'data');
  client.write(deep);
  client.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}');
  await eventually(
    async () => statuses,
    ({ length }) => length === 2,
  );
  expect(statuses).toEqual([413, 200]);
});
