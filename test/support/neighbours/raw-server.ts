import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

export type RawServer = { port: number; connections: Set<Socket>; stop(): Promise<void> };

/** A server on loopback that does with each connection what the test says, on the bare socket. */
export async function startRawServer(talk: (socket: Socket) => void): Promise<RawServer> {
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket)).on('error', () => {});
    talk(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    connections,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}

/** Says `text` one byte each `ms`, for ever from the start again. */
export function dripping(socket: Socket, text: string, ms: number): void {
  let at = 0;
  const timer = setInterval(() => socket.write(text.charAt(at++ % text.length)), ms);
  socket.on('close', () => clearInterval(timer));
}

/** Says `text` again and again as fast as it is read. */
export function flooding(socket: Socket, text: string): void {
  const chunk = text.repeat(Math.ceil(65_536 / text.length));
  const more = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
}
