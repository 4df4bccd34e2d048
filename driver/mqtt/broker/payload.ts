import { invalid } from '../../sdk/failure.ts';
import { shortest } from '../../sdk/float.ts';

const SIZES = {
  int8: 1,
  uint8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  int64: 8,
  uint64: 8,
  float32: 4,
  float64: 8,
} as const;
type Binary = keyof typeof SIZES;
const isBinary = (name: string): name is Binary => Object.hasOwn(SIZES, name);
/** Formats of a number in bytes. */
export const BINARY = Object.keys(SIZES).filter(isBinary);

export type BinaryPlace = { format: Binary; offset: number; byteOrder: 'big' | 'little' };

/** The exact text of a number in bytes; null where the payload is too short or the number not finite. */
export function binaryText(payload: Buffer, { format, offset, byteOrder }: BinaryPlace) {
  const size = SIZES[format];
  if (payload.length < offset + size) return null;
  // Reversed bytes of the other order: one way to read a number.
  const bytes = Buffer.from(payload.subarray(offset, offset + size));
  if (byteOrder === 'little') bytes.reverse();
  if (format === 'float32' || format === 'float64') {
    const number = size === 4 ? bytes.readFloatBE() : bytes.readDoubleBE();
    if (!Number.isFinite(number)) return null;
    return size === 4 ? shortest(number) : String(number);
  }
  const whole = BigInt(`0x${bytes.toString('hex')}`);
  return String(format.startsWith('u') ? whole : BigInt.asIntN(size * 8, whole));
}

/** The bytes of a number, after zeros up to its offset. Throws `DriverFailure` where it does not fit. */
export function binaryBytes(text: string, { format, offset, byteOrder }: BinaryPlace): Buffer {
  const size = SIZES[format];
  const bytes = Buffer.alloc(size);
  if (format === 'float32' || format === 'float64') {
    const number = Number(text);
    if (text.trim() === '' || !Number.isFinite(size === 4 ? Math.fround(number) : number))
      throw invalid(`${text} is no ${format}`);
    if (size === 4) bytes.writeFloatBE(number);
    else bytes.writeDoubleBE(number);
  } else bytes.write(wholeBytes(text, format), 'hex');
  if (byteOrder === 'little') bytes.reverse();
  return Buffer.concat([Buffer.alloc(offset), bytes]);
}

function wholeBytes(text: string, format: Binary): string {
  const bits = SIZES[format] * 8;
  const whole = /^[+-]?\d{1,20}$/.test(text) ? BigInt(text) : null;
  const isUnsigned = format.startsWith('u');
  const kept =
    whole !== null && (isUnsigned ? BigInt.asUintN(bits, whole) : BigInt.asIntN(bits, whole));
  if (whole === null || kept !== whole) throw invalid(`${text} is no ${format}`);
  return BigInt.asUintN(bits, whole)
    .toString(16)
    .padStart(bits / 4, '0');
}
