import { isUtf8 } from 'node:buffer';

import type { ResourcePath } from './path.ts';
import type { ResourceType } from './resource.ts';

/** CoAP Content-Formats of LwM2M (OMA Core 1.1, 7.4; `JSON` is that of 1.0). */
export const ContentFormat = {
  TEXT: 0,
  LINK: 40,
  OPAQUE: 42,
  CBOR: 60,
  SENML_JSON: 110,
  SENML_CBOR: 112,
  TLV: 11542,
  JSON: 11543,
} as const;

/** The payload does not match its Content-Format, or the value does not fit the format. */
export class CodecError extends Error {
  override readonly name = 'CodecError';
}

/** Encoding of the value of a single resource; a value is text as in `Reading`. */
export type Codec = {
  contentFormat: number;
  /** Throws `CodecError`; no length or type in `payload` is trusted. */
  decode(payload: Buffer, path: ResourcePath, type: ResourceType): string;
  /** Throws `CodecError`. */
  encode(value: string, path: ResourcePath, type: ResourceType): Buffer;
  /**
   * All values of the resource with their times, for formats that carry times; at least one. Throws
   * `CodecError`.
   */
  decodeTimed?(payload: Buffer, path: ResourcePath, type: ResourceType): TimedValue[];
};

/** `timeS` as in SenML (RFC 8428 4.5.3): seconds, below 2^28 from now on, else since the epoch. */
export type TimedValue = { value: string; timeS: number };

/** The UTF-8 text of the bytes, or null when they are not UTF-8. */
export const utf8 = (bytes: Buffer): string | null => (isUtf8(bytes) ? bytes.toString() : null);

/** A text without the NULs that some stacks end it with (zephyr#59196, zephyr#90719). */
export const unterminated = (text: string): string =>
  text.endsWith('\0') ? text.replace(/\0+$/, '') : text;

/** The text of a STRING to write; throws `CodecError` for one without UTF-8, which would arrive changed. */
export function wellFormed(text: string): string {
  if (text.isWellFormed()) return text;
  throw new CodecError('the value is not Unicode text');
}

/** `true` and `1`, `false` and `0`; throws `CodecError` for anything else. */
export function bit(value: string): boolean {
  if (/^(true|1)$/i.test(value)) return true;
  if (/^(false|0)$/i.test(value)) return false;
  throw new CodecError('the value is not true or false');
}

/** Bytes from base64 in either alphabet; throws `CodecError` when the text is not base64. */
export function fromBase64(text: string): Buffer {
  const digits = text.replace(/={1,2}$/, '');
  const padded = digits.length === text.length || text.length % 4 === 0;
  if (!padded || digits.length % 4 === 1 || !/^[A-Za-z0-9+/_-]*$/.test(digits))
    throw new CodecError('the value is not base64');
  return Buffer.from(digits, 'base64');
}

/**
 * The bytes of an opaque value to write. Throws `CodecError` for text that is not the padded base64 of
 * exactly these bytes: a read-back could not confirm it.
 */
export function opaqueBytes(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text)
    throw new CodecError('the value of an opaque resource must be padded base64');
  return bytes;
}
