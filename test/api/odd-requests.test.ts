import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { LIVE_PATH } from '../../src/gateway/mount/live.ts';
import { startedWorld } from '../support/world/prepared.ts';

const LIST = '/api/v3/manager/device/list';
const SALT = '/api/v3/auth/token/salt';
const WAIT_MS = 10_000;

const chunked = 'content-type: application/json\r\ntransfer-encoding: chunked\r\n';
const announced = 'content-type: application/json\r\ncontent-length: 100000\r\n';
const many = Array.from({ length: 10_000 }, (_, index) => `a${index}: b\r\n`).join('');
const upgrade = (to: string): string => `connection: upgrade\r\nupgrade: ${to}\r\n`;

/** A request line, further lines, a body, and the status; 0: the connection ends without an answer. */
const ODD: [what: string, line: string, lines: string, body: string, status: number][] = [
  ['a websocket', `GET ${LIVE_PATH}`, upgrade('websocket'), '', 401],
  ['an upgrade with bytes behind it', 'GET /livez', upgrade('h2c'), 'x'.repeat(1_000_000), 200],
  ['a tunnel', 'CONNECT 127.0.0.1:1', '', '', 0],
  ['a trace', `TRACE ${LIST}`, 'authorization: Bearer x\r\n', '', 405],
  ['the address of another server', `POST http://x.example${LIST}`, '', '', 401],
  ['options of no path', 'OPTIONS *', '', '', 404],
  ['a path that cannot be decoded', 'GET /%%%', '', '', 404],
  ['10,000 headers', `POST ${LIST}`, many, '', 431],
  ['a header of 1 MB', `POST ${LIST}`, `a: ${'x'.repeat(1_048_576)}\r\n`, '', 431],
  ['a path of 1 MB', `GET /${'x'.repeat(1_048_576)}`, '', '', 431],
  ['a long extension of a chunk', `POST ${SALT}`, chunked, `1;${'a'.repeat(200_000)}\r\n`, 413],
  ['10,000 trailers', `POST ${SALT}`, chunked, `0\r\n${many}\r\n`, 431],
  ['two lengths', `POST ${SALT}`, `${chunked}content-length: 5\r\n`, '0\r\n\r\n', 400],
  [
    'a body that waits to be asked for',
    `POST ${LIST}`,
    `${announced}expect: 100-continue\r\n`,
    '',
    401,
  ],
  ['what cannot be expected', `POST ${LIST}`, `${announced}expect: a-cake\r\n`, '', 401],
];

describe('an odd request', () => {
  const world = startedWorld();

  async function statusOf(text: string): Promise<number> {
    const { hostname, port } = new URL(world.base);
    const socket = connect(Number(port), hostname);
    const closed = new Promise<number>((resolve) => void socket.on('close', () => resolve(0)));
    socket.on('error', () => {});
    await once(socket, 'connect');
    const answered = once(socket, 'data').then(([part]) =>
      Number(/^HTTP\/1\.1 (\d+)/.exec(String(part))?.[1]),
    );
    socket.write(text);
    try {
      const late = sleep(WAIT_MS, Number.NaN, { ref: false });
      return await Promise.race([answered, closed, late]);
    } finally {
      socket.destroy();
    }
  }

  it.each(ODD)('is answered or ended: %s', async (_what, line, lines, body, status) => {
    const { host } = new URL(world.base);
    expect(await statusOf(`${line} HTTP/1.1\r\nhost: ${host}\r\n${lines}\r\n${body}`)).toBe(status);
    expect((await fetch(`${world.base}/livez`)).status).toBe(200);
  });
});
