import { AttributeType } from '../../bus/topic/topics.ts';

/** Data types of points and attributes (PointTypeEnum, AttributeTypeEnum). */
export const ValueType = {
  STRING: 0,
  BYTE: 1,
  SHORT: 2,
  INT: 3,
  LONG: 4,
  FLOAT: 5,
  DOUBLE: 6,
  BOOLEAN: 7,
} as const satisfies Record<AttributeType, number>;

/**
 * What has attributes, which drivers declare when they register and users add (docs/specification/objects.md,
 * Platform objects): the driver itself, and the points, commands and events of its devices.
 */
export type AttributeKind = 'driver' | 'point' | 'command' | 'event';

/** What a point lets the platform do. */
export const RwFlag = { READ_ONLY: 0, WRITE_ONLY: 1, READ_WRITE: 2 } as const;

/** What an event of a device is, and how serious. */
export const EventType = { INFO: 0, ALERT: 1, FAULT: 2, LIFECYCLE: 3 } as const;
export const EventLevel = { LOW: 0, MEDIUM: 1, HIGH: 2, CRITICAL: 3 } as const;

const bits: Partial<Record<AttributeType, number>> = { BYTE: 8, SHORT: 16, INT: 32, LONG: 64 };
const MAX_FLOAT = 3.402_823_466_385_288_6e38;
const WHOLE = /^([+-]?)0*(\d{1,19})(?:\.0*)?$/;
const DECIMAL = /^[+-]?(?:\d{1,310}(?:\.\d{0,340})?|\.\d{1,340})(?:[eE][+-]?\d{1,3})?$/;
const booleans: Record<string, string> = {
  true: 'true',
  '1': 'true',
  false: 'false',
  '0': 'false',
};

export const isNumeric = (type: AttributeType): boolean => type !== 'STRING' && type !== 'BOOLEAN';

/** The numbers that a numeric type can hold. */
export function rangeOf(type: AttributeType): { low: number; high: number; whole: boolean } {
  const size = bits[type];
  const most = type === 'FLOAT' ? MAX_FLOAT : Number.MAX_VALUE;
  return size === undefined
    ? { low: -most, high: most, whole: false }
    : { low: -(2 ** (size - 1)), high: 2 ** (size - 1) - 1, whole: true };
}

/** The canonical text of a value of this type; null for text that is no such value (NaN and ∞ are none). */
export function canonical(type: AttributeType, text: string): string | null {
  if (type === 'STRING') return text;
  const trimmed = text.trim();
  if (type === 'BOOLEAN') return booleans[trimmed.toLowerCase()] ?? null;
  const size = bits[type];
  if (size !== undefined) return wholeNumber(trimmed, size);
  if (!DECIMAL.test(trimmed)) return null;
  const number = Number(trimmed);
  return Math.abs(number) <= rangeOf(type).high ? String(number === 0 ? 0 : number) : null;
}

/** The number of a canonical value; null for text. */
export function numberOf(type: AttributeType, value: string): number | null {
  if (type === 'STRING') return null;
  return type === 'BOOLEAN' ? Number(value === 'true') : Number(value);
}

function wholeNumber(text: string, size: number): string | null {
  const match = WHOLE.exec(text);
  if (!match) return null;
  const digits = match[2] ?? '0';
  const value = match[1] === '-' ? -BigInt(digits) : BigInt(digits);
  return BigInt.asIntN(size, value) === value ? value.toString() : null;
}

/** Whether `text` spells the canonical `value` in this type; with type null in any type. */
export const isSpelling = (type: AttributeType | null, text: string, value: string | null) =>
  value !== null &&
  (type === null ? AttributeType.options : [type]).some((one) => canonical(one, text) === value);
