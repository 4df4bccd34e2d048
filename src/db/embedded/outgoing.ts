import { Frontend, HEADER, query } from './wire.ts';

/** Messages that go to the engine at once; `answers` is the number of ReadyForQuery to expect. */
export type Batch = { bytes: Uint8Array<ArrayBuffer>; answers: number };

const COPY_IN =
  /(?:^|;)(?:\s|--[^\n]*(?:\n|$)|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*copy\b[^;]*\bfrom\s+stdin\b/i;

// The server itself raises the error, so that order, transaction status and ReadyForQuery are right.
const refusal = query(
  `do $$begin raise exception using errcode = 'feature_not_supported', message = 'COPY FROM STDIN is not available on the embedded database'; end$$`,
);

function asksForCopyIn(type: number, body: Buffer): boolean {
  if (type !== Frontend.QUERY && type !== Frontend.PARSE) return false;
  const start = type === Frontend.PARSE ? body.indexOf(0) + 1 : 0;
  const end = body.indexOf(0, start);
  return COPY_IN.test(body.toString('utf8', start, end));
}

/**
 * Collects what a client writes until the engine can answer it (Query, Sync or Flush): half an extended
 * query alone would be answered too early. COPY FROM STDIN would end the engine's process image, so a batch
 * with it is replaced by an error.
 */
export function collectOutgoing(): {
  /** Takes bytes of the client; true when it leaves. */
  push(chunk: Buffer): boolean;
  take(): Batch | undefined;
} {
  let rest: Buffer = Buffer.alloc(0);
  let open: Buffer[] = [];
  let complete: Buffer[] = [];
  let answers = 0;
  let refused = false;

  function add(type: number, whole: Buffer): void {
    open.push(whole);
    if (asksForCopyIn(type, whole.subarray(HEADER))) refused = true;
    if (type !== Frontend.QUERY && type !== Frontend.SYNC && type !== Frontend.FLUSH) return;
    if (refused && type === Frontend.FLUSH) return; // the client must Sync to see the refusal
    complete.push(...(refused ? [refusal] : open));
    if (type !== Frontend.FLUSH) answers += 1;
    open = [];
    refused = false;
  }

  return {
    push(chunk) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      while (rest.length >= HEADER) {
        const size = 1 + rest.readInt32BE(1);
        if (rest.length < size) break;
        const type = rest[0] ?? 0;
        if (type === Frontend.TERMINATE) return true;
        add(type, rest.subarray(0, size));
        rest = rest.subarray(size);
      }
      return false;
    },
    take() {
      if (complete.length === 0) return undefined;
      const bytes = new Uint8Array(complete.reduce((sum, part) => sum + part.length, 0));
      let at = 0;
      for (const part of complete) {
        bytes.set(part, at);
        at += part.length;
      }
      const batch = { bytes, answers };
      complete = [];
      answers = 0;
      return batch;
    },
  };
}
