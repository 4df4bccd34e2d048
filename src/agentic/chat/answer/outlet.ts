import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

import type { App } from '../../../kernel/app/app.ts';
import { type Chunks, chunksOf } from '../../../kernel/request/chunks.ts';

/** Shorter than the idle timeouts of proxies and of Node's fetch. */
const KEEP_ALIVE_MS = 15_000;
/** Longest wait for a client that does not read its stream; no other limit ends such a turn. */
export const STALLED_MS = 30_000;

/** Takes the events of a streamed turn. */
export type Outlet = {
  /** Takes whole server-sent events; false when the next should wait for `drained`. */
  write(events: string): boolean;
  /** Resolves when there is room again, and rejects when the client has left. */
  drained(): Promise<void>;
  /** Ends the stream with these. */
  end(events: string): void;
};

type Connection = Chunks & {
  end(events: string): void;
};

/** Begins a server-sent stream on `res`; a comment goes out after every 15 s without an event. */
export function connect(app: App, res: ServerResponse, conversationId: string | null): Connection {
  const chunks = chunksOf(res);
  let lastWrite = app.clock.now();
  const cancel = app.clock.every(KEEP_ALIVE_MS, () => {
    if (chunks.isFull() || app.clock.now() - lastWrite < KEEP_ALIVE_MS) return;
    chunks.write(': keep-alive\n\n');
  });
  res.once('close', cancel);
  res.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    ...(conversationId === null ? {} : { 'x-conversation-id': encodeURIComponent(conversationId) }),
  });
  return {
    write(events) {
      lastWrite = app.clock.now();
      return chunks.write(events);
    },
    isFull: chunks.isFull,
    end(events) {
      cancel();
      res.end(events);
    },
  };
}

/** Events for one client, at the speed at which it reads. */
export function directOutlet(
  app: App,
  res: ServerResponse,
  conversationId: string | null,
  signal: AbortSignal,
): Outlet {
  const connection = connect(app, res, conversationId);
  return {
    write: connection.write,
    async drained() {
      const cancelStalled = app.clock.after(STALLED_MS, () => res.destroy());
      await once(res, 'drain', { signal }).finally(cancelStalled);
    },
    end: connection.end,
  };
}
