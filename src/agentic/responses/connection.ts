import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

import type { App } from '../../app.ts';

/** Shorter than the idle timeouts of proxies and of Node's fetch. */
const KEEP_ALIVE_MS = 15_000;
/** Longest wait for a client that does not read its stream. */
const STALLED_MS = 30_000;

/** Begins a server-sent stream on `res`: a comment after 15 s of silence; writes wait for a slow reader. */
export function connect(app: App, res: ServerResponse, signal: AbortSignal) {
  let lastWrite = app.clock.now();
  const cancel = app.clock.every(KEEP_ALIVE_MS, () => {
    if (res.writableNeedDrain || app.clock.now() - lastWrite < KEEP_ALIVE_MS) return;
    res.write(': keep-alive\n\n');
  });
  res.once('close', cancel);
  res.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  return {
    async write(events: string): Promise<void> {
      lastWrite = app.clock.now();
      if (res.write(events)) return;
      const cancelStalled = app.clock.after(STALLED_MS, () => res.destroy());
      await once(res, 'drain', { signal }).finally(cancelStalled);
    },
    end(): void {
      cancel();
      res.end();
    },
  };
}
