import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that the system gives to connections: one of those may be taken before it is used here. */
const FIRST = 20_000;
const COUNT = 12_000;
const TRIES = 100;
const given = new Set<number>();

/** A TCP port of loopback, where an address must be known before anything listens; each is given once. */
export const freePort = (): Promise<number> =>
  pick(async (port) => {
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
  });

/** The same for UDP. */
export const freeUdpPort = (): Promise<number> =>
  pick(async (port) => {
    const socket = createSocket('udp4').bind(port, '127.0.0.1');
    await once(socket, 'listening');
    socket.close();
    await once(socket, 'close');
  });

async function pick(use: (port: number) => Promise<void>): Promise<number> {
  for (let n = 0; n < TRIES; n += 1) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (given.has(port)) continue;
    given.add(port);
    const isFree = await use(port).then(
      () => true,
      () => false,
    );
    if (isFree) return port;
  }
  throw new Error(`none of ${TRIES} ports is free`);
}
