import { type Fragment, HandshakeType } from './handshake-message.ts';

/** Longest body of each message that a client sends after its ClientHello (RFC 4279 5.3; RFC 5246 7.4.9). */
const MAX_BYTES: ReadonlyMap<number, number> = new Map([
  [HandshakeType.CLIENT_KEY_EXCHANGE, 130],
  [HandshakeType.FINISHED, 12],
]);
const MAX_PARTS = 4;

type Part = { body: Buffer; missing: Set<number> };

/** Puts messages together from fragments in any order (RFC 6347 4.2.3). */
export class Assembly {
  #parts = new Map<string, Part>();

  /** The body of the message once it is whole; null before, and for what no client of a handshake sends. */
  add({ type, sequence, length, offset, body }: Fragment): Buffer | null {
    if (length > (MAX_BYTES.get(type) ?? -1)) return null;
    if (body.length === length) return body;
    const key = `${type} ${sequence} ${length}`;
    const part = this.#parts.get(key) ?? { body: Buffer.alloc(length), missing: places(length) };
    // What is forged may begin messages that never get whole: the oldest goes.
    this.#parts.delete(key);
    const [oldest] = this.#parts.keys();
    if (oldest !== undefined && this.#parts.size >= MAX_PARTS) this.#parts.delete(oldest);
    body.copy(part.body, offset);
    for (let at = offset; at < offset + body.length; at += 1) part.missing.delete(at);
    if (part.missing.size > 0) this.#parts.set(key, part);
    return part.missing.size > 0 ? null : part.body;
  }
}

const places = (length: number): Set<number> => new Set(Array.from({ length }, (_, at) => at));
