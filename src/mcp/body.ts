import type { NodeIncomingMessageLike } from '@modelcontextprotocol/node';
import type { Request } from 'express';

/**
 * The JSON of a request, or undefined; `rest` is the request as the protocol's library gets it. Both are empty once it
 * is disposed of: undici holds the signal of a web `Request`, and by its listeners the closures of the answer, until the
 * finalizer of that `Request` has run, which is one collection of garbage longer than the answer needs them.
 */
export type Read = Disposable & { readonly json: unknown; readonly rest: NodeIncomingMessageLike };

/**
 * Reads the JSON of a POST, once: the library would put it into a web stream, copy that for the older protocol, and
 * decode each. What it has to refuse (not JSON, longer than `maxBytes`, cut off) it gets as it came.
 */
export async function readJson(request: Request, maxBytes: number): Promise<Read> {
  const { method, url, headers } = request;
  const left = (bytes: AsyncIterable<unknown>): NodeIncomingMessageLike => ({
    method,
    url,
    headers,
    [Symbol.asyncIterator]: () => bytes[Symbol.asyncIterator](),
  });
  const isTooLong = Number(headers['content-length']) > maxBytes;
  if (method !== 'POST' || isTooLong) return read(undefined, left(request));
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of bytesOf(request)) {
      chunks.push(chunk);
      length += chunk.byteLength;
      if (length > maxBytes) break;
    }
  } catch {
    return read(undefined, left(request)); // which throws once more
  }
  const json = length > maxBytes ? undefined : jsonOf(Buffer.concat(chunks));
  if (json !== undefined) chunks.length = 0;
  return read(json, left(each(chunks)), chunks);
}

function read(json: unknown, rest: NodeIncomingMessageLike, chunks: Uint8Array[] = []): Read {
  const body = {
    json,
    rest,
    [Symbol.dispose]() {
      body.json = undefined;
      chunks.length = 0;
    },
  };
  return body;
}

/** Without an encoding a request gives bytes. */
const bytesOf = (request: AsyncIterable<Uint8Array>) => request;

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
