import type { IncomingMessage, Server, ServerResponse } from 'node:http';

import type { Clock } from '../../kernel/clock.ts';

/** A body of a known length up to this is read away after a refusal, and its connection kept. */
const SMALL_BYTES = 64 * 1024;
/** How long a connection with more of it waits for its client to take the answer and to close. */
const LINGER_MS = 1_000;

/**
 * Bounds what is read of a body that its request is answered without: what arrived with the head, and no more. The
 * client may be sending still, and closing at once could take the answer from it (RFC 9112 9.6). A body that waits to
 * be asked for (`Expect: 100-continue`) is asked for by its reader.
 */
export function boundUnread(clock: Clock, server: Server): void {
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
