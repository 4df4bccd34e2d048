import type { AttributeType } from '../../bus/topic/topics.ts';
import { canonical } from '../../manager/entity/value-type.ts';
import { type Condition, fieldIn, isSet } from '../kind/condition.ts';
import { VALUES } from '../kind/fact-field.ts';

type Scalar = string | number | boolean | null;
/** Input of a condition: field to value; null and absent both mean "missing". */
export type Values = Readonly<Record<string, Scalar>>;

/** Of a set of conditions: whether it holds. */
export const HOLDS = 'holds';

type Compare = (value: number, threshold: number) => boolean;
const compare = {
  '>': (value, threshold) => value > threshold,
  '>=': (value, threshold) => value >= threshold,
  '<': (value, threshold) => value < threshold,
  '<=': (value, threshold) => value <= threshold,
  '==': (value, threshold) => value === threshold,
  '!=': (value, threshold) => value !== threshold,
} satisfies Record<string, Compare>;
export type Comparison = keyof typeof compare;

/** A field of a fact, and the type of its point. */
type Field = { field: string; type?: AttributeType | undefined };

/** The number in a field; null if it is missing or not numeric. Booleans count as 1 and 0. */
export const numberOf = (values: Values, field: Field): number | null =>
  numeric(valueOf(values, field));

/** Null if the field is missing or not numeric. */
export function compares(
  values: Values,
  field: Field,
  operator: Comparison,
  threshold: number,
): boolean | null {
  const value = numberOf(values, field);
  return value === null ? null : compare[operator](value, threshold);
}

/**
 * Whether a fact matches, of a point of this type if it is of one; null if undecidable, because the field is missing
 * (only `exists` and `missing` decide then) or not numeric. A fact never matches `nodata`, and a bad value does not
 * end it.
 */
export function matches(
  condition: Condition,
  values: Values,
  type?: AttributeType,
): boolean | null {
  if (condition.operator === 'nodata') return values['quality'] === 'BAD' ? null : false;
  if (isSet(condition)) {
    const holds = values[HOLDS];
    return typeof holds === 'boolean' ? holds : null;
  }
  const field = { field: condition.field, type };
  const given = valueOf(values, field);
  if (condition.operator === 'exists') return given !== null;
  if (condition.operator === 'missing') return given === null;
  if (given === null) return null;
  if ('threshold' in condition)
    return compares(values, field, condition.operator, condition.threshold);
  if ('low' in condition) {
    const value = numeric(given);
    if (value === null) return null;
    const inside = value >= condition.low && value <= condition.high;
    return condition.operator === 'between' ? inside : !inside;
  }
  if (!('expected' in condition)) return null;
  const equal = isSame(String(given), condition.expected, field);
  if (condition.operator === 'contains') return equal || String(given).includes(condition.expected);
  return condition.operator === 'eq' || condition.operator === '==' ? equal : !equal;
}

/** Whether two texts are one value of the point: `1` and `true` of a BOOLEAN, `21.50` and `21.5` of a FLOAT. */
function isSame(given: string, expected: string, { field, type }: Field): boolean {
  if (given === expected) return true;
  if (type === undefined || !VALUES.has(field)) return false;
  const value = canonical(type, given);
  return value !== null && value === canonical(type, expected);
}

/** A value of a BOOLEAN point is true or false, however its device says it. */
function valueOf(values: Values, { field, type }: Field): Scalar {
  const given = Object.hasOwn(values, field) ? (values[field] ?? null) : null;
  if (type !== 'BOOLEAN' || given === null || !VALUES.has(field)) return given;
  const value = canonical(type, String(given));
  return value === null ? given : value === 'true';
}

function numeric(value: Scalar): number | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === null || value === '') return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

export type Extreme = number | null;

type Extremes = {
  none: Extreme;
  /** The more extreme of what was so far and the values of the next fact. */
  of(before: Extreme, values: Values): Extreme;
};

/** How far a number is beyond the limit of a condition; null where it has none to be beyond. */
function beyond(condition: Condition): ((value: number) => number) | null {
  if ('threshold' in condition) {
    const { operator, threshold } = condition;
    if (operator === '>' || operator === '>=') return (value) => value;
    if (operator === '<' || operator === '<=') return (value) => -value;
    return (value) => Math.abs(value - threshold);
  }
  if ('low' in condition && condition.operator === 'outside')
    return (value) => Math.max(condition.low - value, value - condition.high);
  return null;
}

/** The value of an episode that is farthest beyond the limit. */
export function extremeOf(condition: Condition): Extremes {
  const far = beyond(condition);
  const field = fieldIn(condition);
  return {
    none: null,
    of(before, values) {
      const value = numberIn(values, field);
      if (!far || value === null) return before;
      return before === null || far(value) > far(before) ? value : before;
    },
  };
}

/** The number in a field of a fact; null for text and for none. */
export function numberIn(values: Values, field: string | undefined): number | null {
  return field === undefined || !Object.hasOwn(values, field)
    ? null
    : numeric(values[field] ?? null);
}
