import type { ServerResponse } from 'node:http';

import type { Clock } from '../clock.ts';
import { chunksOf } from './chunks.ts';

const KEEP_ALIVE_MS = 15_000;
const KEEP_ALIVE = ': keep-alive\n\n';

/** Server-sent events on a response that has not begun. */
export type EventStream = {
  /** Begins; until then nothing is taken. */
  begin(): void;
  /** Takes whole events as text. False while the client does not read, or before the begin: nothing was taken. */
  write(events: string): boolean;
  /** Ends with these, if the client reads. */
  end(events: string): void;
};

/** What a stream needs from its owner. */
type Owner = {
  /** There is room again. */
  room(): void;
  /** The client has left, or was cut. */
  closed(): void;
};

/** Of events waits at most what was written when the client stopped reading; it is cut after two keep-alives. */
export function openStream(clock: Clock, response: ServerResponse, owner: Owner): EventStream {
  const chunks = chunksOf(response);
  /** Full at the last keep-alive and ever since. */
  let isStalled = false;
  let last: string | null = null;
  const takes = (): boolean => response.headersSent && !response.writableEnded && !chunks.isFull();
  const stop = clock.every(KEEP_ALIVE_MS, () => {
    const isFull = !takes();
    if (!isFull) chunks.write(KEEP_ALIVE);
    else if (isStalled) response.destroy();
    isStalled = isFull;
  });
  response
    .on('drain', () => {
      isStalled = false;
      owner.room();
    })
    .on('close', () => {
      stop();
      owner.closed();
    });
  return {
    begin() {
      response.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
      });
      if (last !== null) response.end(last);
    },
    write(events) {
      if (!takes()) return false;
      chunks.write(events);
      return true;
    },
    end(events) {
      stop();
      if (!response.headersSent) last = events;
      else if (takes()) response.end(events);
      else response.destroy();
    },
  };
}
