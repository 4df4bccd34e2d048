import { z } from 'zod';

import { amount, byName } from '../../kernel/sentence/voice.ts';
import { Aggregate, isQuantified, ofDevices, unitOfCompared } from '../kind/aggregate.ts';
import { fieldIn, namedIn } from '../kind/condition.ts';
import { durationWords } from '../kind/duration.ts';
import { VALUES } from '../kind/fact-field.ts';
import { Content } from '../kind/rule-ext.ts';
import { modeWords } from '../kind/window.ts';
import { demandText } from './demand.ts';

/** What `raise` kept of the rule and the value that fired it; older alarms have less. */
const Firing = z.object({
  ruleName: z.string(),
  condition: Content.shape.condition,
  window: Content.shape.window,
  recovery: Content.shape.recovery,
  aggregate: Aggregate.optional(),
  values: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  unit: z.string().default(''),
  /** What its rule said to do; empty without one. */
  instruction: z.string().default(''),
});
export type Firing = z.output<typeof Firing>;

export type Values = Readonly<Firing['values']>;

/** A value and the condition that it is measured by. */
export type Measured = Pick<Firing, 'condition' | 'window' | 'unit' | 'aggregate'> & {
  values: Values;
};

/** The rule and the value of an alarm as they were when it fired; null for an alarm without a rule. */
export const firingOf = (alarmExt: Record<string, unknown>): Firing | null =>
  Firing.safeParse(alarmExt).data ?? null;

/** Other fields are named in texts. */
export const isOfPoint = (field: string): boolean => VALUES.has(field);

/** Of the condition, else of the point; the point's is not that of other fields, nor of what was not scaled yet. */
export function unitOf(measured: Omit<Measured, 'values'>): string {
  const { condition, unit } = measured;
  const field = fieldIn(condition);
  const isOfUnit =
    field === 'deviation' || (field !== undefined && isOfPoint(field) && field !== 'rawValue');
  const own = 'unit' in condition ? condition.unit : undefined;
  if (field === 'deviationPercent') return own ?? '%';
  return unitOfCompared(measured, isOfUnit ? unit : '');
}

/** The condition that fired, with its unit: `> 80 °C for 10 s`, `status eq “offline”`. */
export function firedBy(firing: Firing): string {
  const { condition } = firing;
  const field = fieldIn(condition);
  const of = `${ofDevices(firing.aggregate)}${modeWords(firing.window)}`;
  const demand = `${of} ${demandText(firing, unitOf(firing))}`.trimStart();
  return field === undefined || isOfPoint(field) ? demand : `${namedIn(condition)} ${demand}`;
}

/** The value that fired, with its unit; null for silence; how many devices match where each of them is compared. */
export function firedAt(firing: Measured): string | null {
  if (isQuantified(firing.aggregate)) {
    const { matching, counted } = firing.values;
    return typeof matching === 'number' ? `${matching} of ${counted ?? 0} devices` : null;
  }
  const field = fieldIn(firing.condition);
  const value = field === undefined ? null : (firing.values[field] ?? null);
  if (value === null) return null;
  return amount(String(value), unitOf(firing), byName);
}

/** What its condition compares a value with: `80 °C`, `2 to 8 °C`; empty where it compares with nothing. */
export function limitOf(firing: Measured): string {
  const { condition } = firing;
  if ('threshold' in condition) return amount(String(condition.threshold), unitOf(firing), byName);
  if ('low' in condition)
    return `${condition.low} to ${amount(String(condition.high), unitOf(firing), byName)}`;
  return 'expected' in condition ? amount(condition.expected, '', byName) : '';
}

/** By how much the value was beyond its limit, with the unit; null where there is no such limit, or no one value. */
export function marginOf(firing: Measured): string | null {
  if (isQuantified(firing.aggregate)) return null;
  const { condition, values } = firing;
  const field = fieldIn(condition);
  const value = Number(field === undefined ? NaN : (values[field] ?? NaN));
  if (!Number.isFinite(value)) return null;
  if ('threshold' in condition && condition.operator !== '==' && condition.operator !== '!=')
    return beyond(Math.abs(value - condition.threshold), firing);
  if ('low' in condition && condition.operator === 'outside')
    return beyond(Math.max(condition.low - value, value - condition.high), firing);
  return null;
}

/** Without the noise of binary fractions: 0.012, not 0.01200000000000001. */
const beyond = (margin: number, firing: Measured): string =>
  amount(String(Number(margin.toPrecision(6))), unitOf(firing), byName);

/** What ends the alarm, with its unit, where the rule has a threshold of its own for it: `< 75 °C for 1 min`. */
export function recoversBy(firing: Firing): string | null {
  const { enabled, operator, threshold, duration } = firing.recovery;
  if (!enabled) return 'never: only its confirmation ends it';
  if (operator === undefined || threshold === undefined) return null;
  const held = duration === undefined ? '' : ` for ${durationWords(duration)}`;
  return `${operator} ${amount(String(threshold), unitOf(firing), byName)}${held}`;
}
