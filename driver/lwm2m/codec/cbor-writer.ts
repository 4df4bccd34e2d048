import { bit, CodecError, opaqueBytes, wellFormed } from './codec.ts';
import { floatBytes, integerOf, isReal, realOf } from './number.ts';
import type { ResourceType } from './resource.ts';

const Major = { UNSIGNED: 0, NEGATIVE: 1, BYTES: 2, TEXT: 3, ARRAY: 4, MAP: 5 } as const;
type Major = (typeof Major)[keyof typeof Major];

/** The value of a resource as its type wants it: a float as a float, also where it is whole. Throws `CodecError`. */
export function writeValue(value: string, type: ResourceType): Buffer {
  if (type === 'BOOLEAN') return Buffer.from([bit(value) ? 0xf5 : 0xf4]);
  if (type === 'OPAQUE') return bytes(Major.BYTES, opaqueBytes(value));
  if (type === 'STRING') return writeText(wellFormed(value));
  if (!isReal(type)) return writeInteger(integerOf(value));
  const body = floatBytes(realOf(value));
  return Buffer.concat([Buffer.from([body.length === 4 ? 0xfa : 0xfb]), body]);
}

export const writeText = (text: string): Buffer => bytes(Major.TEXT, Buffer.from(text));

const writeInteger = (number: bigint): Buffer =>
  number < 0n ? head(Major.NEGATIVE, -1n - number) : head(Major.UNSIGNED, number);

/** An array of items that are written already. */
export const writeArray = (items: readonly Buffer[]): Buffer =>
  Buffer.concat([head(Major.ARRAY, BigInt(items.length)), ...items]);

/** A map of integer keys to items that are written already. */
export const writeMap = (entries: readonly (readonly [number, Buffer])[]): Buffer =>
  Buffer.concat([
    head(Major.MAP, BigInt(entries.length)),
    ...entries.flatMap(([key, item]) => [writeInteger(BigInt(key)), item]),
  ]);

const bytes = (major: Major, content: Buffer): Buffer =>
  Buffer.concat([head(major, BigInt(content.length)), content]);

/** Initial byte and argument, in the fewest bytes (RFC 8949, 4.2.1). */
function head(major: Major, argument: bigint): Buffer {
  if (argument < 24n) return Buffer.from([(major << 5) | Number(argument)]);
  const power = [0, 1, 2, 3].find((count) => argument < 1n << BigInt(8 << count));
  if (power === undefined) throw new CodecError('the value does not fit into 64 bits');
  const hex = argument.toString(16).padStart(2 << power, '0');
  return Buffer.concat([Buffer.from([(major << 5) | (24 + power)]), Buffer.from(hex, 'hex')]);
}
