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
