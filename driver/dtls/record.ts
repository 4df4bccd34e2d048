/** Content types of records (RFC 5246 6.2.1; 25: RFC 9146 3). */
export const ContentType = {
  CHANGE_CIPHER_SPEC: 20,
  ALERT: 21,
  HANDSHAKE: 22,
  APPLICATION_DATA: 23,
  CID: 25,
} as const;

/** On the wire 254.253: DTLS 1.2. */
export const DTLS_1_2 = 0xfefd;
/** Version of a HelloVerifyRequest, whatever is negotiated (RFC 6347 4.2.1). */
export const DTLS_1_0 = 0xfeff;

const HEADER_BYTES = 13;
const LENGTH_BYTES = 2;
const SEQUENCE_BYTES = 6;
export const MAX_SEQUENCE = 2 ** 48 - 1;

/** A record as it came, its fragment still protected in epoch 1. */
export type DtlsRecord = {
  type: number;
  epoch: number;
  sequence: number;
  /** The connection id of a record of type 25 (RFC 9146 4); else null. */
  cid: Buffer | null;
  fragment: Buffer;
};

/** The records of a datagram; ends at the first that is malformed, which `isWhole` says. */
export function recordsOf(
  datagram: Buffer,
  cidBytes: number,
): { records: DtlsRecord[]; isWhole: boolean } {
  const records: DtlsRecord[] = [];
  let at = 0;
  while (at < datagram.length) {
    const record = recordAt(datagram, at, cidBytes);
    if (record === null) return { records, isWhole: false };
    records.push(record);
    at += headerBytes(record) + record.fragment.length;
  }
  return { records, isWhole: true };
}

const headerBytes = ({ cid }: DtlsRecord): number => HEADER_BYTES + (cid?.length ?? 0);

function recordAt(datagram: Buffer, at: number, cidBytes: number): DtlsRecord | null {
  if (datagram.length < at + HEADER_BYTES || datagram[at + 1] !== DTLS_1_2 >> 8) return null;
  const type = datagram.readUInt8(at);
  const header = HEADER_BYTES + (type === ContentType.CID ? cidBytes : 0);
  if (datagram.length < at + header) return null;
  const end = at + header + datagram.readUInt16BE(at + header - LENGTH_BYTES);
  if (datagram.length < end) return null;
  const cidAt = at + HEADER_BYTES - LENGTH_BYTES;
  return {
    type,
    epoch: datagram.readUInt16BE(at + 3),
    sequence: datagram.readUIntBE(at + 5, SEQUENCE_BYTES),
    cid: type === ContentType.CID ? datagram.subarray(cidAt, cidAt + cidBytes) : null,
    fragment: datagram.subarray(at + header, end),
  };
}

/** A record without protection (epoch 0). */
export function plainRecord(
  type: number,
  sequence: number,
  fragment: Buffer,
  version: number = DTLS_1_2,
): Buffer {
  const record = Buffer.allocUnsafe(HEADER_BYTES + fragment.length);
  record[0] = type;
  record.writeUInt16BE(version, 1);
  record.writeUInt16BE(0, 3);
  record.writeUIntBE(sequence, 5, SEQUENCE_BYTES);
  record.writeUInt16BE(fragment.length, 11);
  fragment.copy(record, HEADER_BYTES);
  return record;
}

const WINDOW_BITS = 64n;
const ALL_TAKEN = (1n << WINDOW_BITS) - 1n;

/** Which sequence numbers of an epoch were taken (RFC 6347 4.1.2.6): each counts once, those behind the window never. */
export class ReplayWindow {
  #newest: number;
  /** Bit n: the number n below the newest was taken. */
  #taken: bigint;

  /** All numbers up to `newest` count as taken. */
  constructor(newest = -1) {
    this.#newest = newest;
    this.#taken = newest < 0 ? 0n : ALL_TAKEN;
  }

  /** The highest number taken; -1 before the first. */
  get newest(): number {
    return this.#newest;
  }

  isNew(sequence: number): boolean {
    if (sequence > this.#newest) return true;
    const behind = BigInt(this.#newest - sequence);
    return behind < WINDOW_BITS && ((this.#taken >> behind) & 1n) === 0n;
  }

  /** Only after the record was found authentic: a forged one would make the true one a replay. */
  take(sequence: number): void {
    if (sequence > this.#newest) {
      const step = BigInt(sequence - this.#newest);
      this.#taken = step < WINDOW_BITS ? ((this.#taken << step) & ALL_TAKEN) | 1n : 1n;
      this.#newest = sequence;
    } else this.#taken |= 1n << BigInt(this.#newest - sequence);
  }
}
