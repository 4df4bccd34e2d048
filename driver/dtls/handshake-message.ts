/** Handshake messages (RFC 5246 7.4, RFC 6347 4.3.2). */
export const HandshakeType = {
  CLIENT_HELLO: 1,
  SERVER_HELLO: 2,
  HELLO_VERIFY_REQUEST: 3,
  SERVER_HELLO_DONE: 14,
  CLIENT_KEY_EXCHANGE: 16,
  FINISHED: 20,
} as const;

export const HEADER_BYTES = 12;

/** A piece of a message as it came in a record. */
export type Fragment = {
  type: number;
  /** Of the whole message. */
  length: number;
  sequence: number;
  offset: number;
  body: Buffer;
};

/** A whole message: its header says one fragment. */
export function messageOf(type: number, sequence: number, body: Buffer): Buffer {
  return Buffer.concat([headerOf({ type, length: body.length, sequence, offset: 0, body }), body]);
}

export function headerOf({ type, length, sequence, offset, body }: Fragment): Buffer {
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header[0] = type;
  header.writeUIntBE(length, 1, 3);
  header.writeUInt16BE(sequence, 4);
  header.writeUIntBE(offset, 6, 3);
  header.writeUIntBE(body.length, 9, 3);
  return header;
}

/** The fragments in a record; null when it holds anything else. */
export function fragmentsOf(data: Buffer): Fragment[] | null {
  const fragments: Fragment[] = [];
  let at = 0;
  while (at < data.length) {
    if (data.length < at + HEADER_BYTES) return null;
    const length = data.readUIntBE(at + 1, 3);
    const offset = data.readUIntBE(at + 6, 3);
    const end = at + HEADER_BYTES + data.readUIntBE(at + 9, 3);
    const body = data.subarray(at + HEADER_BYTES, end);
    if (end > data.length || offset + body.length > length) return null;
    const [type, sequence] = [data.readUInt8(at), data.readUInt16BE(at + 4)];
    fragments.push({ type, length, sequence, offset, body });
    at = end;
  }
  return fragments;
}

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
