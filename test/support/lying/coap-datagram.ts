/** CoAP messages for played devices, which share no code with the driver (RFC 7252 3). */
export type Datagram = {
  /** 0 confirmable, 1 not, 2 acknowledgement, 3 reset. */
  type: number;
  code: number;
  mid: number;
  token: Buffer;
  options: (readonly [number: number, value: Buffer])[];
  payload: Buffer;
};

export const Option = {
  OBSERVE: 6,
  PATH: 11,
  FORMAT: 12,
  QUERY: 15,
  BLOCK2: 23,
} as const;

export function uint(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  const first = bytes.findIndex((byte) => byte !== 0);
  return first === -1 ? Buffer.alloc(0) : bytes.subarray(first);
}

export const number = (value: Buffer | undefined): number =>
  value && value.length > 0 ? value.readUIntBE(0, value.length) : 0;

export const valuesOf = ({ options }: Datagram, wanted: number): Buffer[] =>
  options.filter(([id]) => id === wanted).map(([, value]) => value);

/** Null for bytes that are no message. */
export function parsed(bytes: Buffer): Datagram | null {
  if (bytes.length < 4) return null;
  const first = bytes.readUInt8(0);
  const size = first & 15;
  const message: Datagram = {
    type: (first >> 4) & 3,
    code: bytes.readUInt8(1),
    mid: bytes.readUInt16BE(2),
    token: bytes.subarray(4, 4 + size),
    options: [],
    payload: Buffer.alloc(0),
  };
  let at = 4 + size;
  let id = 0;
  while (at < bytes.length && bytes[at] !== 0xff) {
    const head = bytes.readUInt8(at++);
    const extended = (nibble: number): number => {
      if (nibble < 13) return nibble;
      if (nibble === 13) return bytes.readUInt8(at++) + 13;
      at += 2;
      return bytes.readUInt16BE(at - 2) + 269;
    };
    id += extended(head >> 4);
    const length = extended(head & 15);
    message.options.push([id, bytes.subarray(at, at + length)]);
    at += length;
  }
  return { ...message, payload: bytes.subarray(at + 1) };
}

/** Options in any order; each shorter than 269 bytes. */
export function bytesOf({ type, code, mid, token, options, payload }: Datagram): Buffer {
  const head = Buffer.of(0x40 | (type << 4) | token.length, code, mid >> 8, mid & 255);
  const parts = [head, token];
  let before = 0;
  for (const [id, value] of options.toSorted(([a], [b]) => a - b)) {
    const [delta, length] = [id - before, value.length];
    const nibble = (size: number): number => Math.min(size, 13);
    parts.push(Buffer.of((nibble(delta) << 4) | nibble(length)));
    for (const size of [delta, length]) if (size >= 13) parts.push(Buffer.of(size - 13));
    parts.push(value);
    before = id;
  }
  if (payload.length > 0) parts.push(Buffer.of(0xff), payload);
  return Buffer.concat(parts);
}
