import type { NodeIncomingMessageLike } from '@modelcontextprotocol/node';
import type { Request, Response } from 'express';

import { sourceAt } from '../../../auth/oauth/store/body.ts';
import type { App, Caller } from '../../../kernel/app/app.ts';
import { readBody } from '../../../kernel/request/body.ts';
import { JsonShape } from '../../../kernel/request/json-shape.ts';
import { paramsAsMeant } from './wrong-params.ts';

export const MAX_BODY_BYTES = 1024 * 1024;

/**
 * The JSON of a request, or undefined; `rest` is the request as the protocol's library gets it. Both are empty once it
 * is disposed of: undici holds the signal of a web `Request`, and by its listeners the closures of the answer, until the
 * finalizer of that `Request` has run, which is one collection of garbage longer than the answer needs them.
 */
export type Read = Disposable & { readonly json: unknown; readonly rest: NodeIncomingMessageLike };

/**
 * Reads the JSON of a POST, once: the library would put it into a web stream, copy that for the older protocol, and
 * decode each. What is not JSON the library gets as it came, to refuse it. Throws what `readBody` throws.
 */
export async function readMcpBody(
  app: App,
  { tenantId }: Caller,
  req: Request,
  res: Response,
): Promise<Read> {
  const chunks: Buffer[] = [];
  let json: unknown;
  if (req.method === 'POST') {
    const shape = new JsonShape();
    const sender = { source: sourceAt(res), tenantId };
    const reading = { req, res, limit: MAX_BODY_BYTES, sender, app };
    const bytes = await readBody(reading, (piece) => shape.take(piece));
    json = paramsAsMeant(jsonOf(bytes));
    if (json === undefined) chunks.push(bytes);
  }
  const { method, url, headers } = req;
  const rest = { method, url, headers, [Symbol.asyncIterator]: () => each(chunks) };
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
