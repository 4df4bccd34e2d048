import type { IncomingMessage, Server, ServerResponse } from 'node:http';

import { z } from 'zod';

import type { Clock } from '../../kernel/clock.ts';

/** A client that sends nothing of its body, or takes nothing of its answer, for so long has left. */
const SILENCE_MS = 30_000;
const LOOK_MS = 5_000;
const MAX_LISTENERS = 20;

type Exchange = { req: IncomingMessage; moved: string; sinceMs: number };

/**
 * Ends connections whose client owes bytes of a request, or leaves bytes of its answer, for 30 seconds; an answer that
 * is still to be made, and a stream whose client has taken all, may be quiet. Returns how to stop.
 */
export function endSilent(clock: Clock, server: Server): () => void {
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
