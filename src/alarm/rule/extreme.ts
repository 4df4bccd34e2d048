import type { Condition } from '../kind/rule-ext.ts';
import type { Values } from './condition.ts';

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
  const { field } = condition;
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
  const value = field === undefined || !Object.hasOwn(values, field) ? null : values[field];
  if (value === null || value === undefined || value === '') return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}
