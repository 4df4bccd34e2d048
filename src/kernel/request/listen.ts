import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';

import { z } from 'zod';

import type { Clock } from '../clock.ts';
import { failure } from '../envelope.ts';
import { createServer } from './http.ts';

/** A body of a known length up to this is read away after a refusal, and its connection kept. */
const SMALL_BYTES = 64 * 1024;
/** How long a connection with more of it waits for its client to take the answer and to close. */
const LINGER_MS = 1_000;

/**
 * Bounds what is read of a body that its request is answered without: what arrived with the head, and no more. The
 * client may be sending still, and closing at once could take the answer from it (RFC 9112 9.6). A body that waits to
 * be asked for (`Expect: 100-continue`) is asked for by its reader.
 */
function boundUnread(clock: Clock, server: Server): void {
  // Another expectation may be ignored (RFC 9110 10.1.1); Node would answer it and read its body to the end.
  for (const expects of ['checkContinue', 'checkExpectation'])
    server.on(expects, (req, res) => server.emit('request', req, res));
  server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    const isLong = Number(req.headers['content-length'] ?? 0) > SMALL_BYTES;
    if (!isLong && req.headers['transfer-encoding'] === undefined) return;
    const { shouldKeepAlive } = res;
    res.shouldKeepAlive = false;
    req.once('end', () => {
      res.shouldKeepAlive = shouldKeepAlive;
    });
    res.prependOnceListener('finish', () => {
      if (!req.complete) linger(clock, req);
    });
  });
}

function linger(clock: Clock, req: IncomingMessage): void {
  const { socket } = req;
  req.pause();
  socket.pause();
  // The next two things that Node does: it reads on for as long as the client sends, and closes at once.
  Object.assign(req, { _dump: () => {} });
  socket.destroySoon = () => socket.end();
  socket.once(
    'close',
    clock.after(LINGER_MS, () => socket.destroy()),
  );
}

/** A client that sends nothing of its body, or takes nothing of its answer, for so long has left. */
const SILENCE_MS = 30_000;
const LOOK_MS = 5_000;
const MAX_LISTENERS = 20;

type Exchange = { req: IncomingMessage; moved: string; sinceMs: number };

/**
 * Ends connections whose client owes bytes of a request, or leaves bytes of its answer, for 30 seconds; an answer that
 * is still to be made, and a stream whose client has taken all, may be quiet. Returns how to stop.
 */
function endSilent(clock: Clock, server: Server): () => void {
  const underWay = new Set<Exchange>();
  const follow = (req: IncomingMessage, res: ServerResponse): void => {
    const exchange = { req, moved: '', sinceMs: clock.elapsed() };
    underWay.add(exchange);
    // Each part of the way of a request may wait for its end: more of them than Node takes for a leak.
    res.setMaxListeners(MAX_LISTENERS);
    res.once('close', () => underWay.delete(exchange));
  };
  server.on('request', follow);
  return clock.every(LOOK_MS, () => {
    const now = clock.elapsed();
    for (const exchange of underWay) {
      const moved = progressOf(exchange.req);
      if (moved === null || moved !== exchange.moved) {
        exchange.moved = moved ?? '';
        exchange.sinceMs = now;
      } else if (now - exchange.sinceMs >= SILENCE_MS) exchange.req.socket.destroy();
    }
  });
}

/** What has moved so far, as a text to compare; null where nothing is due from the client. */
function progressOf({ complete, socket }: IncomingMessage): string | null {
  const { bytesRead, bytesWritten, writableLength } = socket;
  if (complete && writableLength === 0) return null;
  return [bytesRead, bytesWritten - writableLength, queued(socket)].join();
}

/** Bytes of a piece of which the system has taken a part: Node says so on the handle only. */
const queued = (socket: object): number =>
  Queue.safeParse(Reflect.get(socket, '_handle')).data?.writeQueueSize ?? 0;

const Queue = z.object({ writeQueueSize: z.number() });

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
