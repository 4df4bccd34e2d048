import type { ActiveRule } from '../condition/fact.ts';
import { comparedIds } from '../condition/points.ts';
import { longestActive } from '../condition/schedule.ts';
import { isFormula } from '../kind/condition.ts';
import { durationMs, lengthWords } from '../kind/duration.ts';
import { DEVIATIONS, type FactField, VALUES } from '../kind/fact-field.ts';
import type { RuleContent } from '../kind/rule-ext.ts';
import { holdMs, perMs, samplesNeeded, type Window } from '../kind/window.ts';
import type { Watches, Wrong } from './wrong.ts';

/** Why a window can never decide, or would decide other than it says; null: it can. */
export function oddWindow(content: RuleContent, watches: Watches): Wrong | null {
  const { condition, window } = content;
  const { mode, duration, hold, per } = window;
  const lasting = oddGap(content, watches) ?? tooLong(content);
  if (lasting) return lasting;
  if (condition.operator === 'nodata' && durationMs(duration ?? '') === 0)
    return { at: 'window.duration', why: 'silence must last longer than that: write PT10M' };
  if (per !== undefined && mode !== 'RATE')
    return { at: 'window.per', why: 'only RATE is the change in a time: leave per out' };
  if (mode === 'LAST')
    return hold === undefined
      ? null
      : { at: 'window.hold', why: 'with LAST the condition must match for duration: write that' };
  if (watches.target !== 'POINT')
    return { at: 'window.mode', why: `only points have values for ${mode}: write LAST` };
  if (durationMs(duration ?? '') === 0 || duration === undefined)
    return { at: 'window.duration', why: `${mode} needs the time whose values count: write PT10M` };
  if (perMs(window) === 0)
    return { at: 'window.per', why: 'RATE is the change in a time: write PT1H' };
  return notOfNumbers(condition, mode, watches);
}

/** Why a condition can never hold for its time within the hours of the rule; null: it can. */
function tooLong(content: RuleContent): Wrong | null {
  const { condition, window } = content;
  if (condition.operator === 'nodata' || holdMs(window) <= longestActive(content)) return null;
  return {
    at: window.mode === 'LAST' ? 'window.duration' : 'window.hold',
    why: `the rule is active for ${lengthWords(longestActive(content))} at most, so this time never passes: write a shorter one`,
  };
}

/** Why the longest gap of a hold time is of none; null: it is of one. */
function oddGap({ condition, window, recovery }: RuleContent, { target }: Watches): Wrong | null {
  const at = 'window.maxGap';
  if (window.maxGap === undefined) return null;
  if (target !== 'POINT' || condition.operator === 'nodata')
    return { at, why: 'only values of a point that must match for a time have gaps: leave it out' };
  if (durationMs(window.maxGap) === 0)
    return { at, why: 'nothing would ever hold for its time: write PT2M' };
  const lasts = holdMs(window) + (durationMs(recovery.duration ?? 'PT0S') ?? 0);
  return lasts > 0
    ? null
    : { at, why: 'neither the condition nor the recovery must hold for a time: leave it out' };
}

function notOfNumbers(
  condition: RuleContent['condition'],
  mode: Window['mode'],
  { type }: Watches,
): Wrong | null {
  if (!('threshold' in condition) && !('low' in condition))
    return {
      at: 'condition',
      why: `${mode} is a number: compare it by > >= < <= == != with threshold, or by between or outside`,
    };
  const { field } = condition;
  if (isFormula(condition) || DEVIATIONS.has(field)) return null;
  if (VALUES.has(field) && field !== 'rawValue')
    return type === 'STRING'
      ? { at: 'window.mode', why: 'a point of type STRING has no numbers: write LAST' }
      : null;
  return { at: 'condition.field', why: `${mode} is of the numbers of a point: write value` };
}

/** What a window over the values of a field, of which it holds so many at most, can come to. */
export function fieldOfWindow(
  window: Window,
  field: FactField,
  most = Number.MAX_VALUE,
): FactField {
  const of = numbersOf(field);
  const ANY = {
    is: 'number',
    low: -Number.MAX_VALUE,
    high: Number.MAX_VALUE,
    whole: false,
  } as const;
  if (window.mode === 'COUNT')
    return { ...ANY, low: samplesNeeded(window), high: most, whole: true };
  if (window.mode === 'MEAN') return { ...of, whole: false };
  if (window.mode === 'MIN' || window.mode === 'MAX' || window.mode === 'LAST') return of;
  return window.mode === 'SUM' && of.low >= 0 ? { ...ANY, low: of.low } : ANY;
}

type Numbers = Extract<FactField, { is: 'number' }>;

/** The numbers that the values of a field are: 0 and 1 of a BOOLEAN. */
function numbersOf(field: FactField): Numbers {
  if (field.is === 'number') return field;
  return field.is === 'among'
    ? { is: 'number', low: 0, high: 1, whole: true }
    : { is: 'number', low: -Number.MAX_VALUE, high: Number.MAX_VALUE, whole: false };
}

/** How far values of points are apart on average (ms), by the id of the point; null where that is not known. */
export type Rates = ReadonlyMap<string, number | null>;

/**
 * Whether one value is enough for what must hold for a time: those of each point that the condition compares come farther
 * apart, as far as that is known of all of them.
 */
export function isSparse(rule: Pick<ActiveRule, 'entityId' | 'content'>, rates: Rates): boolean {
  const { condition, window, aggregate } = rule.content;
  if (aggregate || window.maxGap !== undefined || condition.operator === 'nodata') return false;
  const lasts = holdMs(window);
  return lasts > 0 && comparedIds(rule).every((id) => (rates.get(id) ?? 0) > lasts);
}
