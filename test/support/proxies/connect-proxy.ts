import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';

/** An HTTP proxy on loopback that opens tunnels (CONNECT). */
export type ConnectProxy = {
  hostPort: string;
  /** What it was asked for, with the headers. */
  asked: { authority: string; headers: IncomingHttpHeaders }[];
  /** Tunnels to this target lead to that port of loopback. */
  lead(authority: string, port: number): void;
  /** Who logs in otherwise gets 407. */
  demand(login: string): void;
  /** In place of a tunnel: a status, or nothing at all; null: tunnels again. Those that are open end. */
  answer(given: number | 'nothing' | 'nonsense' | 'more' | null): void;
  /** How many connections it has. */
  clients(): number;
  /** How many tunnels are open. */
  count(): number;
  stop(): Promise<void>;
};

export async function startConnectProxy(): Promise<ConnectProxy> {
  const asked: ConnectProxy['asked'] = [];
  const ports = new Map<string, number>();
  const sockets = new Set<Socket>();
  let wanted: string | null = null;
  let instead: Parameters<ConnectProxy['answer']>[0] = null;
  let tunnels = 0;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  };
  const server = createServer((_request, response) => void response.writeHead(400).end());
  server.on('connection', keep);
  server.on('connect', ({ url: authority = '', headers }, client: Socket) => {
    asked.push({ authority, headers });
    if (instead === 'nothing') client.resume().on('end', () => client.destroy());
    else if (instead === 'nonsense') client.end('nonsense\r\n\r\n');
    else if (typeof instead === 'number') refuse(client, instead);
    else if (isLetIn(headers)) connectTo(client, authority);
    else refuse(client, 407);
  });
  const refuse = (client: Socket, status: number): void =>
    void client.end(`HTTP/1.1 ${status} No\r\ncontent-length: 4\r\n\r\nwhy?`);
  function connectTo(client: Socket, authority: string): void {
    const target = URL.parse(`http://${authority}`);
    const port = ports.get(authority) ?? Number(target?.port);
    const host = ports.has(authority) ? '127.0.0.1' : (target?.hostname ?? '');
    const upstream = connect({ host, port }, () => {
      tunnels += 1;
      client.write(`HTTP/1.1 200 Connection established\r\n\r\n${instead === 'more' ? 'x' : ''}`);
      client.pipe(upstream).pipe(client);
      upstream.on('close', () => (tunnels -= 1));
    });
    keep(upstream);
    upstream.on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const isLetIn = (headers: IncomingHttpHeaders): boolean =>
    wanted === null ||
    headers['proxy-authorization'] === `Basic ${Buffer.from(wanted).toString('base64')}`;
  return {
    hostPort: `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    asked,
    lead: (authority, port) => void ports.set(authority, port),
    demand(login) {
      wanted = login;
    },
    answer(given) {
      instead = given;
      for (const socket of sockets) socket.destroy();
    },
    clients: () => sockets.size,
    count: () => tunnels,
    async stop() {
      if (!server.listening) return;
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
