const CONTINUED = 0x80;
const FIRST_BYTES = 1_024;

/** Bytes of an integer as a varint. */
export function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= CONTINUED; rest /= CONTINUED) length += 1;
  return length;
}

/** Numbers and texts one after the other, as few bytes as each needs. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  /** An integer from 0 to 2^53 - 1, seven bits to a byte, the lowest first. */
  varint(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= CONTINUED) {
      this.#bytes[this.#length++] = (rest % CONTINUED) | CONTINUED;
      rest = Math.floor(rest / CONTINUED);
    }
    this.#bytes[this.#length++] = rest;
  }

  double(value: number): void {
    this.#reserve(8);
    this.#bytes.writeDoubleLE(value, this.#length);
    this.#length += 8;
  }

  /** Its bytes behind their number. */
  text(value: string): void {
    const bytes = Buffer.from(value);
    this.varint(bytes.length);
    this.write(bytes);
  }

  write(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#length + more));
    larger.set(this.bytes());
    this.#bytes = larger;
  }
}

/** Reads what a `ByteWriter` wrote, in the same order. Throws where the bytes end before that. */
export class ByteReader {
  readonly #bytes: Buffer;
  #place = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  byte(): number {
    const value = this.#bytes[this.#place++];
    if (value === undefined) throw new RangeError('a closed hour ends too early');
    return value;
  }

  varint(): number {
    let byte = this.byte();
    if (byte < CONTINUED) return byte;
    let value = byte - CONTINUED;
    for (let factor = CONTINUED; ; factor *= CONTINUED) {
      byte = this.byte();
      if (byte < CONTINUED) return value + byte * factor;
      value += (byte - CONTINUED) * factor;
    }
  }

  double(): number {
    const value = this.#bytes.readDoubleLE(this.#place);
    this.#place += 8;
    return value;
  }

  text(): string {
    const length = this.varint();
    if (this.#place + length > this.#bytes.length)
      throw new RangeError('a closed hour ends too early');
    this.#place += length;
    return this.#bytes.toString('utf8', this.#place - length, this.#place);
  }
}
