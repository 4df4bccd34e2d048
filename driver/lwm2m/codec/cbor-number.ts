import { CodecError } from './codec.ts';
import { type Item, isNumeral, type Numeral } from './item.ts';
import { floatText } from './number.ts';

const MAX_BIGNUM_BYTES = 32;
const MAX_EXPONENT = 400n;

/** A float of 2, 4 or 8 bytes; throws `CodecError` for NaN and the infinities. */
export function floatOf(bytes: Buffer): Numeral {
  return { numeral: bytes.length === 2 ? half(bytes.readUInt16BE()) : floatText(bytes) };
}

/** A number of 16 bits (RFC 8949, appendix D). */
function half(bits: number): string {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 0x3ff;
  if (exponent === 31) throw new CodecError('the number is not finite');
  const size = exponent === 0 ? fraction * 2 ** -24 : (fraction + 1024) * 2 ** (exponent - 25);
  return String(bits & 0x8000 ? -size : size);
}

/** Tag 2 or 3: an integer in a byte string. */
export function bignum(content: Item, isNegative: boolean): Numeral {
  if (!Buffer.isBuffer(content) || content.length > MAX_BIGNUM_BYTES)
    throw new CodecError('a CBOR bignum is malformed');
  const size = BigInt(`0x0${content.toString('hex')}`);
  return { numeral: String(isNegative ? -1n - size : size) };
}

/** Tag 4: an exponent to the base of 10, and digits. */
export function decimalFraction(content: Item): Numeral {
  const [exponent, digits, ...more] = Array.isArray(content) ? content.map(integer) : [];
  if (exponent === undefined || digits === undefined || more.length > 0)
    throw new CodecError('a CBOR decimal fraction is malformed');
  if (exponent > MAX_EXPONENT || exponent < -MAX_EXPONENT)
    throw new CodecError('a CBOR decimal fraction is out of range');
  const sign = digits < 0n ? '-' : '';
  const size = String(digits < 0n ? -digits : digits);
  if (exponent >= 0n)
    return { numeral: size === '0' ? '0' : `${sign}${size}${'0'.repeat(Number(exponent))}` };
  const places = Number(-exponent);
  const padded = size.padStart(places + 1, '0');
  return { numeral: `${sign}${padded.slice(0, -places)}.${padded.slice(-places)}` };
}

function integer(item: Item): bigint {
  if (isNumeral(item) && /^-?\d+$/.test(item.numeral)) return BigInt(item.numeral);
  throw new CodecError('a CBOR decimal fraction is malformed');
}
