import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

import type { Clock } from '../../kernel/clock.ts';
import { failure } from '../../kernel/envelope.ts';
import { createServer } from '../../kernel/request/http.ts';
import { endSilent } from './silent.ts';
import { boundUnread } from './unread.ts';

const STOP_CONNECTIONS_MS = 10_000;
const IDLE_CHECK_MS = 100;

export type Listener = {
  /** The port the system assigned if 0 was requested. */
  port: number;
  /** Lets `handler` answer; until then every request gets 503. */
  serve(handler: RequestListener): void;
  /** Accepts no more connections, closes idle ones now and busy ones after 10 s at most. */
  stop(): Promise<void>;
};

/** Listens on the first free one of these ports. */
export async function listenOnFirst(
  clock: Clock,
  host: string,
  ports: readonly number[],
): Promise<Listener> {
  const [port = 0, ...others] = ports;
  try {
    return await listen(clock, host, port);
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    if (!isTaken || others.length === 0) throw error;
    return listenOnFirst(clock, host, others);
  }
}

/** Binds before answering: a taken port is found before anything is created, and links contain the port. */
export async function listen(clock: Clock, host: string, port: number): Promise<Listener> {
  const server = createServer({
    requestTimeout: 30_000,
    headersTimeout: 10_000,
    // How late the two may be.
    connectionsCheckingInterval: 5_000,
    maxHeaderSize: 16_384,
    // Longer than a gateway's pause: it learns the limit from the answers and closes first.
    keepAliveTimeout: 65_000,
    // What is read of a body before its caller is known: a piece of 64 KiB, as Node reads.
    highWaterMark: 32 * 1024,
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const stopWatch = endSilent(clock, server);
  boundUnread(clock, server);
  server.on('request', starting);
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    serve(handler) {
      server.off('request', starting).on('request', (req, res) => {
        if (isTwice(req, 'host') || isTwice(req, 'authorization')) refuseTwice(res);
        else handler(req, res);
      });
    },
    async stop() {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      server.closeIdleConnections();
      // A connection that becomes idle during the stop would otherwise be kept for its next request.
      const cancels = [
        clock.every(IDLE_CHECK_MS, () => server.closeIdleConnections()),
        clock.after(STOP_CONNECTIONS_MS, () => server.closeAllConnections()),
      ];
      await closed;
      stopWatch();
      for (const cancel of cancels) cancel();
    },
  };
}

const starting: RequestListener = (_request, response) => {
  response.setHeader('retry-after', '1');
  refuse(response, 503, failure('R503', 'The platform is starting; try again in a moment'));
};

/** Of two, the proxy before may have read the one and Node the other (RFC 9112 3.2). */
function isTwice({ rawHeaders }: IncomingMessage, name: string): boolean {
  let found = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === name.length && rawHeaders[at]?.toLowerCase() === name)
      found += 1;
  return found > 1;
}

const refuseTwice = (response: ServerResponse): void =>
  refuse(response, 400, failure('R400', 'The headers Host and Authorization may come once'));

function refuse(response: ServerResponse, status: number, body: object): void {
  response
    .writeHead(status, { 'content-type': 'application/json', connection: 'close' })
    .end(JSON.stringify(body));
}
