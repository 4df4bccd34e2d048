import type { Condition } from '../kind/rule-ext.ts';

type Scalar = string | number | boolean | null;
/** Input of a condition: field to value; null and absent both mean "missing". */
export type Values = Readonly<Record<string, Scalar>>;

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

/** Null if the field is missing or not numeric; booleans count as 1 and 0. */
export function compares(
  values: Values,
  field: string,
  operator: Comparison,
  threshold: number,
): boolean | null {
  const value = numeric(valueOf(values, field));
  return value === null ? null : compare[operator](value, threshold);
}

/**
 * Whether a fact matches; null if undecidable, because the field is missing (only `exists` and `missing`
 * decide then) or not numeric. A fact never matches `nodata`, and a bad value does not end it.
 */
export function matches(condition: Condition, values: Values): boolean | null {
  if (condition.operator === 'nodata') return values['quality'] === 'BAD' ? null : false;
  const given = valueOf(values, condition.field);
  if (condition.operator === 'exists') return given !== null;
  if (condition.operator === 'missing') return given === null;
  if (given === null) return null;
  if ('threshold' in condition)
    return compares(values, condition.field, condition.operator, condition.threshold);
  if ('low' in condition) {
    const value = numeric(given);
    if (value === null) return null;
    const inside = value >= condition.low && value <= condition.high;
    return condition.operator === 'between' ? inside : !inside;
  }
  if (!('expected' in condition)) return null;
  const text = String(given);
  if (condition.operator === 'contains') return text.includes(condition.expected);
  const equal = text === condition.expected;
  return condition.operator === 'eq' || condition.operator === '==' ? equal : !equal;
}

const valueOf = (values: Values, field: string): Scalar =>
  Object.hasOwn(values, field) ? (values[field] ?? null) : null;

function numeric(value: Scalar): number | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === null || value === '') return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}
