import { DTLS_1_2 } from './record.ts';

/** Extensions that matter here. */
const Extension = {
  /** RFC 7627 */
  EXTENDED_MASTER_SECRET: 23,
  /** RFC 9146 */
  CONNECTION_ID: 54,
  /** RFC 5746 */
  RENEGOTIATION_INFO: 0xff_01,
} as const;
/** Says the same as an empty renegotiation_info (RFC 5746 3.3). */
const RENEGOTIATION_SCSV = 0x00_ff;
const RANDOM_BYTES = 32;

export type ClientHello = {
  random: Buffer;
  cookie: Buffer;
  /** All of the message but the cookie: what a cookie is bound to. */
  withoutCookie: Buffer;
  suites: readonly number[];
  hasExtendedMaster: boolean;
  hasRenegotiationInfo: boolean;
  /** The connection id that records to the client are to carry; null when it knows none. */
  cid: Buffer | null;
};

/** A ClientHello (RFC 6347 4.2.1); null when it is malformed or of a version below 1.2. */
export function parseClientHello(body: Buffer): ClientHello | null {
  const reader = new Reader(body);
  const version = reader.number(2);
  const random = reader.bytes(RANDOM_BYTES);
  reader.vector(1);
  const cookieAt = reader.at;
  const cookie = reader.vector(1);
  const cookieEnd = reader.at;
  const offered = reader.vector(2);
  const compressions = reader.vector(1);
  if (reader.isBroken || offered.length % 2 !== 0 || !compressions.includes(0)) return null;
  // Later versions have lower numbers; a client of 1.3 also says 1.2 here.
  if (version >> 8 !== DTLS_1_2 >> 8 || version > DTLS_1_2) return null;
  const extensions = extensionsOf(reader);
  if (extensions === null) return null;
  const suites = Array.from({ length: offered.length / 2 }, (_, index) =>
    offered.readUInt16BE(2 * index),
  );
  const cid = extensions.get(Extension.CONNECTION_ID);
  if (cid && cid.length !== 1 + (cid[0] ?? 0)) return null;
  return {
    random,
    cookie,
    withoutCookie: Buffer.concat([body.subarray(0, cookieAt), body.subarray(cookieEnd)]),
    suites,
    hasExtendedMaster: extensions.has(Extension.EXTENDED_MASTER_SECRET),
    hasRenegotiationInfo:
      suites.includes(RENEGOTIATION_SCSV) || extensions.has(Extension.RENEGOTIATION_INFO),
    cid: cid?.subarray(1) ?? null,
  };
}

function extensionsOf(reader: Reader): Map<number, Buffer> | null {
  const found = new Map<number, Buffer>();
  if (reader.isAtEnd) return found;
  const inner = new Reader(reader.vector(2));
  if (reader.isBroken || !reader.isAtEnd) return null;
  while (!inner.isAtEnd) {
    const type = inner.number(2);
    const data = inner.vector(2);
    // Each may be there once (RFC 5246 7.4.1.4).
    if (inner.isBroken || found.has(type)) return null;
    found.set(type, data);
  }
  return found;
}

/** The body of a ServerHello that takes `suite` (RFC 5246 7.4.1.3), without a session to resume. */
export function serverHello({
  hello: { hasExtendedMaster, hasRenegotiationInfo },
  random,
  suite,
  cid,
}: {
  hello: ClientHello;
  random: Buffer;
  suite: number;
  cid: Buffer | null;
}): Buffer {
  const extensions = Buffer.concat([
    ...(hasExtendedMaster ? [extension(Extension.EXTENDED_MASTER_SECRET, Buffer.alloc(0))] : []),
    ...(hasRenegotiationInfo ? [extension(Extension.RENEGOTIATION_INFO, Buffer.alloc(1))] : []),
    ...(cid
      ? [extension(Extension.CONNECTION_ID, Buffer.concat([Buffer.of(cid.length), cid]))]
      : []),
  ]);
  return Buffer.concat([
    twoBytes(DTLS_1_2),
    random,
    Buffer.alloc(1),
    twoBytes(suite),
    Buffer.alloc(1),
    ...(extensions.length > 0 ? [twoBytes(extensions.length), extensions] : []),
  ]);
}

const extension = (type: number, data: Buffer): Buffer =>
  Buffer.concat([twoBytes(type), twoBytes(data.length), data]);

const twoBytes = (value: number): Buffer => Buffer.of(value >> 8, value & 0xff);

/** Reads numbers and vectors; past the end it is broken and answers nothing. */
class Reader {
  at = 0;
  isBroken = false;
  #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.isBroken || this.at === this.#bytes.length;
  }

  bytes(count: number): Buffer {
    if (this.isBroken || this.at + count > this.#bytes.length) {
      this.isBroken = true;
      return Buffer.alloc(0);
    }
    this.at += count;
    return this.#bytes.subarray(this.at - count, this.at);
  }

  number(size: 1 | 2): number {
    const bytes = this.bytes(size);
    return this.isBroken ? 0 : bytes.readUIntBE(0, size);
  }

  vector(size: 1 | 2): Buffer {
    return this.bytes(this.number(size));
  }
}
