import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

type Target = { host: string; port: number };

/** A way to a server on loopback that can be cut and mended, led elsewhere, and made slow. */
export type TcpProxy = {
  port: number;
  /** Ends every connection and takes no new one. */
  cut(): void;
  mend(): void;
  /** Ends every connection; new ones go to another server. */
  leadTo(target: Target): void;
  /** Each piece on its way to the server waits so long from now on. */
  slow(ms: number): void;
  /** How many clients are connected. */
  count(): number;
  stop(): Promise<void>;
};

export async function startTcpProxy(first: Target): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let target = first;
  let isCut = false;
  let delayMs = 0;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const delayed = (): Transform =>
    new Transform({
      transform(chunk, _encoding, done) {
        if (delayMs === 0) done(null, chunk);
        else setTimeout(() => done(null, chunk), delayMs);
      },
    });
  const server = createServer((incoming) => {
    keep(incoming);
    if (isCut) {
      incoming.destroy();
      return;
    }
    const outgoing = connect(target);
    keep(outgoing);
    incoming.pipe(delayed()).pipe(outgoing).pipe(incoming);
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
    leadTo(other) {
      target = other;
      cutAll();
    },
    slow(ms) {
      delayMs = ms;
    },
    count: () => sockets.size / 2,
    async stop() {
      cutAll();
      server.close();
      await once(server, 'close');
    },
  };
}
