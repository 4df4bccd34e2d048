import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';

import { AppError, BadRequest } from '../errors.ts';
import type { Slots } from '../slot.ts';
import { BODIES_UNDER_WAY, type Sender } from './bodies-under-way.ts';
import { JsonShape } from './json-shape.ts';

/** Largest JSON of a route, and of one that is open without login. */
export const JSON_BYTES = 256 * 1024;
export const PUBLIC_BYTES = 16 * 1024;
/** Decoding and parsing of a larger body are turns of the event loop apart. */
const LONG_BYTES = 1024 * 1024;

/** A request with its answer, the largest body in bytes, and where that is counted. */
export type Reading = {
  req: IncomingMessage;
  res: ServerResponse;
  limit: number;
  sender: Sender;
  app: { of: Slots };
};

/** Whether a request announces a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * The bytes of a body, the only way by which one is read. Throws 413 above the limit, 415 for one that is compressed,
 * 429 where too many bytes are under way; what was not read is left to the connection (src/kernel/request/listen.ts).
 */
export async function readBody(
  { req, res, limit, sender, app }: Reading,
  follow: (piece: Buffer) => void = () => {},
): Promise<Buffer> {
  demandPlain(req);
  if (Number(req.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  const held = app.of(BODIES_UNDER_WAY).hold(sender);
  // A request that has ended is not told of its end again.
  if (res.closed) throw new BadRequest('The request has ended');
  res.once('close', () => held.release());
  if (req.headers.expect !== undefined && hasBody(req)) res.writeContinue();
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of bytesOf(req)) {
      length += piece.length;
      if (length > limit) throw tooLarge(limit);
      held.add(piece.length);
      follow(piece);
      pieces.push(piece);
    }
  } catch (error) {
    if (!res.shouldKeepAlive) readNoMore(req);
    throw error;
  }
  return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces, length);
}

/** The JSON of a body, undefined for an empty one; throws 400 for other text, 413 for one that is too deep or wide. */
export async function readJson(reading: Reading): Promise<unknown> {
  const shape = new JsonShape();
  const bytes = await readBody(reading, (piece) => shape.take(piece));
  if (bytes.length === 0) return undefined;
  if (bytes.length > LONG_BYTES) await setImmediate();
  const text = bytes.toString();
  if (bytes.length > LONG_BYTES) await setImmediate();
  return jsonOf(text);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch {
    throw new BadRequest('The body is not JSON');
  }
}

const BYTE_ORDER_MARK = '\uFEFF';

/** Until the answer goes out, Node would fill the buffer of the request once more. */
function readNoMore(req: IncomingMessage): void {
  Object.assign(req, { _read: () => {} });
  // A tick later: taking the last piece has asked for the next one, and that comes first.
  process.nextTick(() => req.socket.pause());
}

/** A compressed body costs its reader far more than its sender. */
function demandPlain({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
    throw new AppError(415, 'R415', 'The body must not be compressed (Content-Encoding)');
}

/** Leaves the request open where reading ends early: its answer is still to be sent. */
async function* bytesOf(req: IncomingMessage): AsyncGenerator<Buffer> {
  const pieces: AsyncIterable<Buffer> = req.iterator({ destroyOnReturn: false });
  try {
    yield* pieces;
  } catch {
    throw new BadRequest('The request ended before its body');
  }
}

function tooLarge(limit: number): AppError {
  const most =
    limit < LONG_BYTES ? `${Math.floor(limit / 1024)} kB` : `${Math.floor(limit / LONG_BYTES)} MB`;
  return new AppError(413, 'R413', `The body is too large: at most ${most}`);
}
