import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';

/** What a response of unknown length is written with. */
export type Chunks = {
  /** Takes text; false when the next should wait for 'drain' of the response. */
  write(text: string): boolean;
  isFull(): boolean;
};

/**
 * The chunks of a response (RFC 9112 section 7.1), each one write of its socket after the first, which goes with the
 * head. Node gathers the parts of a chunk (size, text and ends of lines) until the next tick: twice the CPU.
 */
export function chunksOf(res: ServerResponse): Chunks {
  /** HTTP/1.0 has no chunks, and an answer to HEAD no body. */
  const goesByNode = res.req.httpVersion !== '1.1' || res.req.method === 'HEAD';
  let hasBegun = false;
  let waits = false;

  function drained(): void {
    waits = false;
    res.emit('drain');
  }

  return {
    write(text) {
      const { socket } = res;
      // Corked: Node holds the first until the next tick. Without a socket: the answer to an earlier request of the
      // connection is still under way. Not writable or ended: Node knows what to do.
      const isOpen = socket?.writable && !res.writableEnded && res.writableCorked === 0;
      if (!hasBegun || goesByNode || !isOpen) {
        hasBegun = true;
        return res.write(text);
      }
      const bytes = Buffer.byteLength(text);
      if (bytes === 0) return true;
      const encoding = bytes === text.length ? 'latin1' : 'utf8';
      const hasRoom = socket.write(`${bytes.toString(16)}\r\n${text}\r\n`, encoding);
      if (!hasRoom && !waits) {
        waits = true;
        socket.once('drain', drained);
      }
      return hasRoom;
    },
    isFull: () => res.writableNeedDrain || waits,
  };
}
