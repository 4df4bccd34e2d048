import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';

/** A DTLS 1.2 client for tests, which shares no code with the server: TLS_PSK_WITH_AES_128_CCM_8 alone. */
export type ClientOptions = {
  identity: Buffer;
  key: Buffer;
  /** The connection id that records to this client carry; absent: the extension is not offered. */
  cid?: Buffer;
  hasExtendedMaster?: boolean;
  suites?: readonly number[];
};

const [CHANGE, ALERT, HANDSHAKE, DATA, CID_RECORD] = [20, 21, 22, 23, 25];
const CCM_8 = 0xc0_a8;

const u16 = (value: number): Buffer => Buffer.of(value >> 8, value & 255);
const u48 = (value: number): Buffer => {
  const bytes = Buffer.alloc(6);
  bytes.writeUIntBE(value, 0, 6);
  return bytes;
};
const vector = (bytes: Buffer, size: 1 | 2): Buffer =>
  Buffer.concat([size === 1 ? Buffer.of(bytes.length) : u16(bytes.length), bytes]);

function expand(secret: Buffer, label: string, seed: Buffer, bytes: number): Buffer {
  const full = Buffer.concat([Buffer.from(label), seed]);
  const mac = (data: Buffer): Buffer => createHmac('sha256', secret).update(data).digest();
  let out = Buffer.alloc(0);
  for (let a = mac(full); out.length < bytes; a = mac(a))
    out = Buffer.concat([out, mac(Buffer.concat([a, full]))]);
  return out.subarray(0, bytes);
}

export class DtlsClient {
  #options: ClientOptions;
  #random = randomBytes(32);
  #serverRandom: Buffer = Buffer.alloc(0);
  #transcript: Buffer = Buffer.alloc(0);
  #epochs = [0, 0];
  #keys: { write: Buffer; writeIv: Buffer; read: Buffer; readIv: Buffer } | null = null;
  #serverCid: Buffer | null = null;
  #master: Buffer = Buffer.alloc(0);
  #hellos = 0;
  /** Number of the last ClientHello: the messages after it go on from it. */
  #helloSequence = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  get serverCid(): Buffer | null {
    return this.#serverCid;
  }

  hello(cookie: Buffer = Buffer.alloc(0)): Buffer {
    const { cid, hasExtendedMaster = true, suites = [CCM_8] } = this.#options;
    const extensions = Buffer.concat([
      ...(hasExtendedMaster ? [Buffer.of(0, 23, 0, 0)] : []),
      ...(cid ? [Buffer.of(0, 54), vector(vector(cid, 1), 2)] : []),
    ]);
    const body = Buffer.concat([
      Buffer.of(0xfe, 0xfd),
      this.#random,
      Buffer.of(0),
      vector(cookie, 1),
      vector(Buffer.concat(suites.map(u16)), 2),
      vector(Buffer.of(0), 1),
      vector(extensions, 2),
    ]);
    this.#helloSequence = this.#hellos;
    this.#hellos += 1;
    const message = this.#message(1, this.#helloSequence, body);
    if (cookie.length > 0) this.#transcript = message;
    return this.#plain(HANDSHAKE, message);
  }

  /** The cookie that a HelloVerifyRequest asks to return. */
  cookieIn(datagram: Buffer): Buffer {
    const body = datagram.subarray(13 + 12);
    return body.subarray(3, 3 + (body[2] ?? 0));
  }

  /** Answers the flight of the server with key exchange, change and proof, each a record of its own. */
  proof(flight: Buffer): Buffer[] {
    for (let at = 0; at < flight.length;) {
      const length = flight.readUInt16BE(at + 11);
      const message = flight.subarray(at + 13, at + 13 + length);
      this.#transcript = Buffer.concat([this.#transcript, message]);
      if (message[0] === 2) this.#takeHello(message.subarray(12));
      at += 13 + length;
    }
    const exchange = this.#message(16, this.#helloSequence + 1, vector(this.#options.identity, 2));
    this.#transcript = Buffer.concat([this.#transcript, exchange]);
    this.#derive();
    const verify = expand(this.#master, 'client finished', this.#hash(), 12);
    const finished = this.#message(20, this.#helloSequence + 2, verify);
    this.#transcript = Buffer.concat([this.#transcript, finished]);
    return [
      this.#plain(HANDSHAKE, exchange),
      this.#plain(CHANGE, Buffer.of(1)),
      this.seal(finished, HANDSHAKE),
    ];
  }

  /** Whether the server proved the key in its last flight. */
  isProven(flight: Buffer): boolean {
    const change = 13 + flight.readUInt16BE(11);
    const finished = this.open(flight.subarray(change));
    const verify = expand(this.#master, 'server finished', this.#hash(), 12);
    return finished?.type === HANDSHAKE && finished.data.subarray(12).equals(verify);
  }

  seal(data: Buffer, type: number = DATA): Buffer {
    if (!this.#keys) throw new Error('there are no keys yet');
    const { write, writeIv } = this.#keys;
    const cid = this.#serverCid;
    const sequence = this.#next(1);
    const epochAndSequence = Buffer.concat([u16(1), u48(sequence)]);
    const inner = cid ? Buffer.concat([data, Buffer.of(type), Buffer.alloc(3)]) : data;
    const nonce = Buffer.concat([writeIv, epochAndSequence]);
    const cipher = createCipheriv('aes-128-ccm', write, nonce, { authTagLength: 8 });
    cipher.setAAD(this.#additional(type, epochAndSequence, cid, inner.length), {
      plaintextLength: inner.length,
    });
    const sealed = Buffer.concat([cipher.update(inner), cipher.final(), cipher.getAuthTag()]);
    const fragment = Buffer.concat([epochAndSequence, sealed]);
    const head = [Buffer.of(cid ? CID_RECORD : type, 0xfe, 0xfd), epochAndSequence];
    return Buffer.concat([...head, ...(cid ? [cid] : []), vector(fragment, 2)]);
  }

  open(record: Buffer): { type: number; data: Buffer } | null {
    if (!this.#keys) return null;
    const { read, readIv } = this.#keys;
    const type = record.readUInt8(0);
    const cid = type === CID_RECORD ? (this.#options.cid ?? null) : null;
    const header = 13 + (cid?.length ?? 0);
    const fragment = record.subarray(header, header + record.readUInt16BE(header - 2));
    const nonce = Buffer.concat([readIv, fragment.subarray(0, 8)]);
    const decipher = createDecipheriv('aes-128-ccm', read, nonce, { authTagLength: 8 });
    const sealed = fragment.subarray(8, -8);
    decipher.setAuthTag(fragment.subarray(-8));
    decipher.setAAD(this.#additional(type, record.subarray(3, 11), cid, sealed.length), {
      plaintextLength: sealed.length,
    });
    const data = decipher.update(sealed);
    decipher.final();
    if (!cid) return { type, data };
    const end = data.findLastIndex((byte) => byte !== 0);
    return { type: data.readUInt8(end), data: data.subarray(0, end) };
  }

  /** A farewell, in clear while there are no keys. */
  farewell(): Buffer {
    const alert = Buffer.of(1, 0);
    return this.#keys ? this.seal(alert, ALERT) : this.#plain(ALERT, alert);
  }

  #takeHello(body: Buffer): void {
    this.#serverRandom = Buffer.from(body.subarray(2, 34));
    // No session id: suite, compression and extensions follow.
    for (let at = 34 + 1 + 3 + 2; at + 4 <= body.length;) {
      const [type, length] = [body.readUInt16BE(at), body.readUInt16BE(at + 2)];
      if (type === 54) this.#serverCid = Buffer.from(body.subarray(at + 5, at + 4 + length));
      at += 4 + length;
    }
  }

  #derive(): void {
    const { key, hasExtendedMaster = true } = this.#options;
    const size = u16(key.length);
    const premaster = Buffer.concat([size, Buffer.alloc(key.length), size, key]);
    const randoms = Buffer.concat([this.#random, this.#serverRandom]);
    this.#master = hasExtendedMaster
      ? expand(premaster, 'extended master secret', this.#hash(), 48)
      : expand(premaster, 'master secret', randoms, 48);
    const turned = Buffer.concat([this.#serverRandom, this.#random]);
    const block = expand(this.#master, 'key expansion', turned, 40);
    const part = (from: number, to: number): Buffer => block.subarray(from, to);
    this.#keys = {
      write: part(0, 16),
      read: part(16, 32),
      writeIv: part(32, 36),
      readIv: part(36, 40),
    };
  }

  #additional(type: number, numbers: Buffer, cid: Buffer | null, length: number): Buffer {
    const version = Buffer.of(0xfe, 0xfd);
    if (!cid) return Buffer.concat([numbers, Buffer.of(type), version, u16(length)]);
    const marks = Buffer.of(CID_RECORD, cid.length, CID_RECORD);
    return Buffer.concat([Buffer.alloc(8, 255), marks, version, numbers, cid, u16(length)]);
  }

  #hash(): Buffer {
    return createHash('sha256').update(this.#transcript).digest();
  }

  #message(type: number, sequence: number, body: Buffer): Buffer {
    const length = u48(body.length).subarray(3);
    const whole = [Buffer.of(type), length, u16(sequence), Buffer.alloc(3), length, body];
    return Buffer.concat(whole);
  }

  #plain(type: number, fragment: Buffer): Buffer {
    const head = [Buffer.of(type, 0xfe, 0xfd), u16(0), u48(this.#next(0))];
    return Buffer.concat([...head, vector(fragment, 2)]);
  }

  #next(epoch: 0 | 1): number {
    const next = this.#epochs[epoch] ?? 0;
    this.#epochs[epoch] = next + 1;
    return next;
  }
}
