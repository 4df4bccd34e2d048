import { once } from 'node:events';
import { connect } from 'node:net';

import type { HostileBody } from './bodies.ts';
import type { Entrance } from './routes.ts';

const LIMIT_MS = 60_000;
/** How long the body of an open route is waited for here, which the server does for half a minute. */
export const SHORT_MS = 100;

/** Status 0 stands for no answer at all; `port` is that of the client's end. */
export type Sent = { status: number; port: number };

type Asked = {
  entrance: Entrance;
  body: HostileBody;
  credential: Record<string, string>;
  /** Of the request. */
  id: string;
  /** Goes on sending after the answer, until the server closes the connection. */
  stays?: boolean;
};

/** Sends one hostile request and waits for its answer and for the end of its connection. */
export async function sendHostile(base: string, asked: Asked): Promise<Sent> {
  const { entrance, body, credential, id, stays = false } = asked;
  const { method, path, door, isOpen } = entrance;
  const { headers, write, isShort = false, isLong = false } = body;
  const { hostname, port, host } = new URL(base);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  socket.setTimeout(LIMIT_MS, () => socket.destroy());
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  const { promise: answered, resolve } = Promise.withResolvers<number>();
  let text = '';
  socket
    .on('error', () => {}) // the other end may close first
    .on('data', (part) => {
      text += part.toString('latin1');
      const status = /^HTTP\/1\.1 ([2-5]\d\d)/.exec(text)?.[1];
      if (status !== undefined) resolve(Number(status));
    })
    .on('close', () => resolve(0));
  await Promise.race([once(socket, 'connect'), closed]);
  const { localPort = 0 } = socket;
  const given = {
    host,
    'x-request-id': id,
    'content-type': door === 'oauth' ? 'application/x-www-form-urlencoded' : 'application/json',
    accept: 'application/json, text/event-stream',
    ...credential,
    ...headers,
  };
  const lines = Object.entries(given).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  // Ends with the socket.
  void Promise.try(() => write(socket));
  if (isShort && isOpen && method === 'POST') setTimeout(() => socket.destroy(), SHORT_MS);
  const status = await answered;
  if (stays && isLong) await closed;
  socket.destroy();
  await closed;
  return { status, port: localPort };
}
