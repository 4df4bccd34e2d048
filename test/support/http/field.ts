import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

type Received = { method: string; path: string; headers: IncomingHttpHeaders; body: string };

/** A device of our own that is asked over HTTP: a temperature, a set-point, a text. */
export type HttpField = {
  url: string;
  /** For `SVC_EGRESS_ALLOW`. */
  hostPort: string;
  received: Received[];
  setPoint(): number;
  writes(): number;
  /** What `GET /state` says beside its values. */
  more: Record<string, unknown>;
  /** Answers in its place, where it returns true. */
  answer: (response: ServerResponse, received: Received) => boolean;
  stop(): Promise<void>;
};

/** `GET /state` answers with an ETag, `PUT /set-point` writes. */
export async function startHttpField(port = 0): Promise<HttpField> {
  let setPoint = 20;
  let writes = 0;
  const server = createServer((request, response) => {
    void (async () => {
      const { method = '', url: path = '', headers } = request;
      const one = { method, path, headers, body: await text(request) };
      field.received.push(one);
      if (field.answer(response, one)) return;
      if (path === '/set-point' && method === 'PUT') {
        writes += 1;
        setPoint = Number(one.body);
        response.writeHead(204).end();
        return;
      }
      if (path !== '/state') {
        response.writeHead(404).end();
        return;
      }
      const state = { temperature: 21.5, setPoint, state: 'fine', ...field.more };
      const etag = `"${JSON.stringify(state).length}-${setPoint}"`;
      if (headers['if-none-match'] === etag) response.writeHead(304, { etag }).end();
      else
        response
          .writeHead(200, { 'content-type': 'application/json', etag })
          .end(JSON.stringify(state));
    })().catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const hostPort = `127.0.0.1:${address.port}`;
  const field: HttpField = {
    url: `http://${hostPort}/state`,
    hostPort,
    received: [],
    setPoint: () => setPoint,
    writes: () => writes,
    more: {},
    answer: () => false,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return field;
}
