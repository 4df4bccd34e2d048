import { CodecError, utf8 } from './codec.ts';
import { shortest } from './tlv.ts';

/** Numbers are kept as text, so that a 64-bit integer or a decimal fraction stays exact. */
type Numeral = { numeral: string };
export type Cbor = Numeral | string | boolean | null | Buffer | Cbor[] | Map<string, Cbor>;

const MAX_DEPTH = 8;
const MAX_ITEMS = 20_000;
const MAX_EXPONENT = 400n;
const INDEFINITE = 31;
const BREAK = 0xff;

/** The single data item of a CBOR payload (RFC 8949). Throws `CodecError`; no length is trusted. */
export function decodeCbor(bytes: Buffer): Cbor {
  let at = 0;
  let items = 0;

  const take = (size: number): Buffer => {
    if (size > bytes.length - at) throw new CodecError('the CBOR ends too early');
    at += size;
    return bytes.subarray(at - size, at);
  };
  const argument = (info: number): bigint => {
    if (info < 24) return BigInt(info);
    if (info > 27) throw new CodecError('a CBOR head is reserved');
    return BigInt(`0x${take(1 << (info - 24)).toString('hex')}`);
  };
  const atBreak = (): boolean => {
    if (bytes[at] !== BREAK) return false;
    at += 1;
    return true;
  };
  const size = (info: number): number => {
    const length = argument(info);
    if (length > BigInt(bytes.length - at))
      throw new CodecError('a CBOR length points beyond its end');
    return Number(length);
  };
  /** Runs `step` for each element, counted or up to the break. */
  const each = (info: number, step: () => void): void => {
    if (info === INDEFINITE) while (!atBreak()) step();
    else for (let left = size(info); left > 0; left -= 1) step();
  };
  const string = (major: number, info: number): Buffer => {
    if (info !== INDEFINITE) return take(size(info));
    const chunks: Buffer[] = [];
    each(info, () => {
      const head = take(1).readUInt8();
      if (head >> 5 !== major || (head & 31) === INDEFINITE)
        throw new CodecError('a CBOR string has a chunk of another type');
      chunks.push(take(size(head & 31)));
    });
    return Buffer.concat(chunks);
  };

  const item = (depth: number): Cbor => {
    items += 1;
    if (depth > MAX_DEPTH || items > MAX_ITEMS) throw new CodecError('the CBOR is too large');
    const head = take(1).readUInt8();
    const major = head >> 5;
    const info = head & 31;
    if (major === 0) return { numeral: String(argument(info)) };
    if (major === 1) return { numeral: String(-1n - argument(info)) };
    if (major === 2) return string(major, info);
    if (major === 3) {
      const text = utf8(string(major, info));
      if (text === null) throw new CodecError('a CBOR text is not UTF-8');
      return text;
    }
    if (major === 4) {
      const list: Cbor[] = [];
      each(info, () => list.push(item(depth + 1)));
      return list;
    }
    if (major === 5) {
      const map = new Map<string, Cbor>();
      each(info, () => {
        const key = item(depth + 1);
        map.set(typeof key === 'string' ? key : numeralOf(key), item(depth + 1));
      });
      return map;
    }
    if (major === 6) return tagged(argument(info), item(depth + 1));
    return simple(info, take);
  };

  const whole = item(0);
  if (at < bytes.length) throw new CodecError('bytes follow the CBOR');
  return whole;
}

/** The text of a number; throws `CodecError` for another item. */
export function numeralOf(item: Cbor | undefined): string {
  if (item && typeof item === 'object' && 'numeral' in item) return item.numeral;
  throw new CodecError('the CBOR item is not a number');
}

function simple(info: number, take: (size: number) => Buffer): Cbor {
  if (info === 20 || info === 21) return info === 21;
  if (info === 22 || info === 23) return null;
  if (info < 25 || info > 27) throw new CodecError('a CBOR simple value is unknown');
  const value = take(1 << (info - 24));
  const number =
    info === 25
      ? half(value.readUInt16BE())
      : info === 26
        ? value.readFloatBE()
        : value.readDoubleBE();
  if (!Number.isFinite(number)) throw new CodecError('the CBOR number is not finite');
  return { numeral: info === 26 ? shortest(number) : String(number) };
}

function half(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 0x3ff;
  const size =
    exponent === 0
      ? fraction * 2 ** -24
      : exponent === 31
        ? Infinity
        : (fraction + 1024) * 2 ** (exponent - 25);
  return bits & 0x8000 ? -size : size;
}

/** Bignums and decimal fractions become numbers; a time and any other tag leave their content as it is. */
function tagged(tag: bigint, content: Cbor): Cbor {
  if (tag === 2n || tag === 3n) {
    if (!Buffer.isBuffer(content) || content.length > 32)
      throw new CodecError('a CBOR bignum is malformed');
    const size = BigInt(`0x0${content.toString('hex')}`);
    return { numeral: String(tag === 2n ? size : -1n - size) };
  }
  return tag === 4n ? { numeral: decimalFraction(content) } : content;
}

function decimalFraction(content: Cbor): string {
  const [exponent, mantissa] = (Array.isArray(content) ? content : []).map(numeralOf);
  if (!Array.isArray(content) || content.length !== 2 || !whole(exponent) || !whole(mantissa))
    throw new CodecError('a CBOR decimal fraction is malformed');
  const power = BigInt(exponent);
  if (power > MAX_EXPONENT || power < -MAX_EXPONENT)
    throw new CodecError('a CBOR decimal fraction is out of range');
  const digits = mantissa.replace('-', '');
  const sign = mantissa.startsWith('-') ? '-' : '';
  if (power >= 0n) return sign + (/^0+$/.test(digits) ? '0' : digits + '0'.repeat(Number(power)));
  const padded = digits.padStart(Number(-power) + 1, '0');
  return `${sign}${padded.slice(0, Number(power))}.${padded.slice(Number(power))}`;
}

const whole = (text: string | undefined): text is string => /^-?\d+$/.test(text ?? '');

/** A byte string (major type 2) or a text (3). */
export function encodeBytes(major: 2 | 3, bytes: Buffer): Buffer {
  return Buffer.concat([headOf(major, BigInt(bytes.length)), bytes]);
}

/** An integer of up to 64 bits exactly, other numbers as a 64-bit float. */
export function encodeNumber(value: string): Buffer {
  if (/^[+-]?\d{1,20}$/.test(value)) {
    const number = BigInt(value);
    return number < 0n ? headOf(1, -1n - number) : headOf(0, number);
  }
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number))
    throw new CodecError('the value is not a number');
  const bytes = Buffer.alloc(9, 0xfb);
  bytes.writeDoubleBE(number, 1);
  return bytes;
}

function headOf(major: number, argument: bigint): Buffer {
  if (argument < 24n) return Buffer.from([(major << 5) | Number(argument)]);
  const power = [0, 1, 2, 3].find((count) => argument < 1n << BigInt(8 << count));
  if (power === undefined) throw new CodecError('the value does not fit into 64 bits');
  const hex = argument.toString(16).padStart(2 << power, '0');
  return Buffer.concat([Buffer.from([(major << 5) | (24 + power)]), Buffer.from(hex, 'hex')]);
}
