import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { Webhook } from 'standardwebhooks';

export type Received = { method: string; path: string; headers: IncomingHttpHeaders; body: string };

/** Answers one request on the raw response. */
export type Answering = (response: ServerResponse, received: Received, count: number) => void;

export type WebhookReceiver = {
  url: string;
  /** For `SVC_EGRESS_ALLOW`. */
  hostPort: string;
  received: Received[];
  /** How the requests from now on are answered; 204 until told. */
  answer(answering: Answering): void;
  stop(): Promise<void>;
};

/** A neighbour on loopback that takes notifications over HTTP and answers as the test tells it. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: Received[] = [];
  let answering: Answering = status(204);
  const server = createServer((request, response) => {
    void (async () => {
      const { method = '', url: path = '', headers } = request;
      const one = { method, path, headers, body: await text(request) };
      received.push(one);
      answering(response, one, received.length);
    })().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const hostPort = `127.0.0.1:${address.port}`;
  return {
    url: `http://${hostPort}/hook`,
    hostPort,
    received,
    answer: (next) => {
      answering = next;
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** What the Standard Webhooks library makes of a request; throws when its signature is not right. */
export const verified = (secret: string, { body, headers }: Received): unknown =>
  new Webhook(secret).verify(
    body,
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  );

export const status =
  (code: number, body = '', headers: Record<string, string> = {}): Answering =>
  (response) =>
    response.writeHead(code, headers).end(body);

export const redirect = (location: string, code = 307): Answering => status(code, '', { location });

export const hang: Answering = () => {};

export const close: Answering = (response) => response.destroy();

/** The head at once, then one byte of body each second for ever. */
export const drip =
  (code = 200): Answering =>
  (response) => {
    response.writeHead(code).write('x');
    const timer = setInterval(() => response.write('x'), 1_000);
    response.on('close', () => clearInterval(timer));
  };

/** A body of this many bytes, for as long as somebody reads. */
export const huge =
  (bytes: number, code = 200): Answering =>
  (response) => {
    const chunk = Buffer.alloc(65_536, 'x');
    let left = bytes;
    response.writeHead(code);
    const more = (): void => {
      while (left > 0) {
        left -= chunk.length;
        if (!response.write(chunk)) return;
      }
      response.end();
    };
    response.on('drain', more);
    more();
  };
