import * as decimal from '../../../src/kernel/decimal.ts';
import { shortest } from '../../sdk/float.ts';
import { CodecError } from './codec.ts';
import type { ResourceType } from './resource.ts';

const LEAST = -(1n << 63n);
/** An integer is signed, an unsigned integer has 64 bits as well (OMA Core 1.1, C). */
const MOST = (1n << 64n) - 1n;

export const isReal = (type: ResourceType): boolean => type === 'FLOAT' || type === 'DOUBLE';

/** The exact number that a text spells; throws `CodecError` for other text and beyond 400 digits. */
export function exact(text: string): decimal.Decimal {
  const parsed = decimal.parseDecimal(text);
  if (!parsed) throw new CodecError('the value is not a number');
  return parsed;
}

/** An integer to write, of at most 64 bits; throws `CodecError`. */
export function integerOf(value: string): bigint {
  if (!/^[+-]?\d{1,20}$/.test(value)) throw new CodecError('the value is not an integer');
  const whole = BigInt(value);
  if (whole < LEAST || whole > MOST) throw new CodecError('the value does not fit into 64 bits');
  return whole;
}

/** A floating-point number to write; throws `CodecError`. */
export function realOf(value: string): number {
  const number = Number(value);
  if (!decimal.parseDecimal(value) || !Number.isFinite(number))
    throw new CodecError('the value is not a number');
  return number;
}

/** The bytes of a float: of 32 bits where they are read back as this number, else of 64. */
export function floatBytes(number: number): Buffer {
  const fits = Math.fround(number) === number && Number(shortest(number)) === number;
  const bytes = Buffer.alloc(fits ? 4 : 8);
  if (fits) bytes.writeFloatBE(number);
  else bytes.writeDoubleBE(number);
  return bytes;
}

/** The text of a float that was received in 4 or 8 bytes; throws `CodecError` for NaN and the infinities. */
export function floatText(bytes: Buffer): string {
  const number = bytes.length === 4 ? bytes.readFloatBE() : bytes.readDoubleBE();
  if (!Number.isFinite(number)) throw new CodecError('the number is not finite');
  return bytes.length === 4 ? shortest(number) : String(number);
}

/** A number in the spelling of JSON; throws `CodecError`. */
export function numeralOf(value: string, type: ResourceType): string {
  return isReal(type) ? decimal.format(exact(value)) : String(integerOf(value));
}
