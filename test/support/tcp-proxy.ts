import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A way to a server on loopback that can be cut and mended. */
export type TcpProxy = {
  port: number;
  /** Ends every connection and takes no new one. */
  cut(): void;
  mend(): void;
  stop(): Promise<void>;
};

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((incoming) => {
    keep(incoming);
    if (isCut) {
      incoming.destroy();
      return;
    }
    const outgoing = connect(target);
    keep(outgoing);
    incoming.pipe(outgoing).pipe(incoming);
    incoming.on('close', () => outgoing.destroy());
    outgoing.on('close', () => incoming.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    cut() {
      isCut = true;
      cutAll();
    },
    mend() {
      isCut = false;
    },
    async stop() {
      cutAll();
      server.close();
      await once(server, 'close');
    },
  };
}
