import type { Option } from './option.ts';

export const MessageType = { CON: 0, NON: 1, ACK: 2, RST: 3 } as const;
export type MessageType = (typeof MessageType)[keyof typeof MessageType];

/** Method and response codes, class in the upper 3 bits, detail in the lower 5 (RFC 7252 12.1). */
export const Code = {
  EMPTY: 0x00,
  GET: 0x01,
  POST: 0x02,
  PUT: 0x03,
  DELETE: 0x04,
  FETCH: 0x05,
  PATCH: 0x06,
  IPATCH: 0x07,
  CREATED: 0x41,
  DELETED: 0x42,
  VALID: 0x43,
  CHANGED: 0x44,
  CONTENT: 0x45,
  CONTINUE: 0x5f,
  BAD_REQUEST: 0x80,
  UNAUTHORIZED: 0x81,
  BAD_OPTION: 0x82,
  FORBIDDEN: 0x83,
  NOT_FOUND: 0x84,
  METHOD_NOT_ALLOWED: 0x85,
  NOT_ACCEPTABLE: 0x86,
  REQUEST_ENTITY_INCOMPLETE: 0x88,
  CONFLICT: 0x89,
  PRECONDITION_FAILED: 0x8c,
  REQUEST_ENTITY_TOO_LARGE: 0x8d,
  UNSUPPORTED_CONTENT_FORMAT: 0x8f,
  UNPROCESSABLE_ENTITY: 0x96,
  TOO_MANY_REQUESTS: 0x9d,
  INTERNAL_SERVER_ERROR: 0xa0,
  NOT_IMPLEMENTED: 0xa1,
  SERVICE_UNAVAILABLE: 0xa3,
  PROXYING_NOT_SUPPORTED: 0xa5,
} as const;

export type Message = {
  type: MessageType;
  code: number;
  mid: number;
  /** 0 to 8 bytes as latin1, so that it can be part of a key. */
  token: string;
  options: readonly Option[];
  payload: Buffer;
};

export const EMPTY = Buffer.alloc(0);
const NO_OPTIONS: readonly Option[] = [];
const TYPES = [MessageType.CON, MessageType.NON, MessageType.ACK, MessageType.RST] as const;

/** The message in a datagram, or the reason why it is malformed (RFC 7252 3); never throws. */
export function parseMessage(bytes: Buffer): Message | string {
  const length = bytes.length;
  if (length < 4) return 'shorter than a header';
  const first = byte(bytes, 0);
  if (first >> 6 !== 1) return 'unknown version';
  const type = TYPES[(first >> 4) & 3] ?? MessageType.CON;
  const code = byte(bytes, 1);
  const mid = (byte(bytes, 2) << 8) | byte(bytes, 3);
  const tokenLength = first & 15;
  if (tokenLength > 8) return 'token longer than 8 bytes';
  if (code === Code.EMPTY) {
    if (length > 4) return 'empty message with content';
    return { type, code, mid, token: '', options: NO_OPTIONS, payload: EMPTY };
  }
  let at = 4 + tokenLength;
  if (at > length) return 'token cut off';
  const token = tokenLength === 0 ? '' : bytes.toString('latin1', 4, at);
  const options: Option[] = [];
  let number = 0;
  while (at < length) {
    const head = byte(bytes, at++);
    if (head === 0xff) {
      if (at === length) return 'marker without payload';
      return { type, code, mid, token, options, payload: bytes.subarray(at) };
    }
    let delta = head >> 4;
    let size = head & 15;
    if (delta === 15 || size === 15) return 'reserved option nibble';
    const extended = at + extraBytes(delta) + extraBytes(size);
    if (extended > length) return 'option cut off';
    if (delta > 12) {
      delta = extendedValue(bytes, at, delta);
      at += (head >> 4) - 12;
    }
    if (size > 12) size = extendedValue(bytes, at, size);
    at = extended;
    if (at + size > length) return 'option cut off';
    number += delta;
    if (number > 0xffff) return 'option number out of range';
    options.push({ number, value: bytes.subarray(at, at + size) });
    at += size;
  }
  return { type, code, mid, token, options, payload: EMPTY };
}

/** The message as a datagram; options may come in any order, options of one number keep theirs. */
export function serialiseMessage(message: Message): Buffer {
  const { token, payload } = message;
  const options = inOrder(message.options);
  let length = 4 + token.length + (payload.length > 0 ? payload.length + 1 : 0);
  let previous = 0;
  for (const { number, value } of options) {
    length += 1 + extraBytes(nibble(number - previous)) + extraBytes(nibble(value.length));
    length += value.length;
    previous = number;
  }
  const bytes = Buffer.allocUnsafe(length);
  bytes[0] = 0x40 | (message.type << 4) | token.length;
  bytes[1] = message.code;
  bytes[2] = message.mid >> 8;
  bytes[3] = message.mid & 0xff;
  let at = 4;
  if (token.length > 0) at += bytes.write(token, at, 'latin1');
  previous = 0;
  for (const { number, value } of options) {
    const delta = number - previous;
    bytes[at++] = (nibble(delta) << 4) | nibble(value.length);
    at = writeExtended(bytes, at, delta);
    at = writeExtended(bytes, at, value.length);
    at += value.copy(bytes, at);
    previous = number;
  }
  if (payload.length > 0) {
    bytes[at++] = 0xff;
    payload.copy(bytes, at);
  }
  return bytes;
}

/** An empty message: acknowledgement or reset of the message with `mid` (RFC 7252 4.1). */
export function emptyMessage(type: MessageType, mid: number): Buffer {
  return Buffer.from([0x40 | (type << 4), 0, mid >> 8, mid & 0xff]);
}

/** The id of a message that `parseMessage` refused and that must be reset, else null (RFC 7252 4.2). */
export function midOfMalformedConfirmable(bytes: Buffer): number | null {
  if (bytes.length < 4 || byte(bytes, 0) >> 4 !== (0x40 >> 4) + MessageType.CON) return null;
  return (byte(bytes, 2) << 8) | byte(bytes, 3);
}

function inOrder(options: readonly Option[]): readonly Option[] {
  let previous = 0;
  for (const { number } of options) {
    if (number < previous) return options.toSorted((a, b) => a.number - b.number);
    previous = number;
  }
  return options;
}

function byte(bytes: Buffer, at: number): number {
  return bytes[at] ?? 0;
}

function nibble(value: number): number {
  return value < 13 ? value : value < 269 ? 13 : 14;
}

function extraBytes(nibbleValue: number): number {
  return nibbleValue > 12 ? nibbleValue - 12 : 0;
}

function extendedValue(bytes: Buffer, at: number, nibbleValue: number): number {
  if (nibbleValue === 13) return 13 + byte(bytes, at);
  return 269 + ((byte(bytes, at) << 8) | byte(bytes, at + 1));
}

function writeExtended(bytes: Buffer, at: number, value: number): number {
  if (value < 13) return at;
  if (value < 269) {
    bytes[at] = value - 13;
    return at + 1;
  }
  bytes[at] = (value - 269) >> 8;
  bytes[at + 1] = (value - 269) & 0xff;
  return at + 2;
}

/** As in 4.04 (RFC 7252 3). */
export const codeText = (code: number): string =>
  `${code >> 5}.${String(code & 31).padStart(2, '0')}`;
