import type { ResourceType } from '../object/definition.ts';

const SIZES: ReadonlySet<number> = new Set([1, 2, 4, 8]);

/**
 * The value in `0x…` bytes of TLV of a resource of this type (OMA Core 1.1, appendix C); the text itself where they are
 * none of it.
 */
export function valueOfBytes(hex: string, type: ResourceType): string {
  const digits = /^0x((?:[0-9a-f]{2})+)$/.exec(hex)?.[1];
  if (digits === undefined) return hex;
  const bytes = Buffer.from(digits, 'hex');
  switch (type) {
    case 'STRING': {
      const text = bytes.toString();
      // Controls and bytes that are no UTF-8 stay bytes.
      return /[\p{Cc}\p{Bidi_Control}\uFFFD]/u.test(text) ? hex : text;
    }
    case 'INTEGER':
    case 'TIME':
      return SIZES.has(bytes.length) ? String(BigInt.asIntN(bytes.length * 8, BigInt(hex))) : hex;
    case 'UNSIGNED':
      return SIZES.has(bytes.length) ? String(BigInt(hex)) : hex;
    case 'FLOAT':
      if (bytes.length === 8) return String(bytes.readDoubleBE());
      return bytes.length === 4 ? shortest(bytes.readFloatBE()) : hex;
    case 'BOOLEAN':
      return hex === '0x01' ? 'true' : hex === '0x00' ? 'false' : hex;
    case 'LINK':
      return bytes.length === 4 ? `${bytes.readUInt16BE(0)}:${bytes.readUInt16BE(2)}` : hex;
    case 'OPAQUE':
    case 'NONE':
      break;
  }
  return hex;
}

/** The shortest text of a number of 32 bits. */
function shortest(value: number): string {
  for (let digits = 1; digits < 9; digits += 1) {
    const number = Number(value.toPrecision(digits));
    if (Math.fround(number) === value) return String(number);
  }
  return String(value);
}
