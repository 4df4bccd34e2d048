import { z } from 'zod';

import { isNear } from '../../kernel/input/unknown.ts';
import { nearest } from '../../kernel/sentence/nearest.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { canonical } from '../../manager/entity/value-type.ts';
import { demandOf } from '../alarm/demand.ts';
import { MAX_AGGREGATED } from '../condition/aggregate.ts';
import { compares, matches } from '../condition/condition.ts';
import { isQuantifier } from '../kind/aggregate.ts';
import {
  type Condition,
  fieldIn,
  isFormula,
  isSet,
  type Leaf,
  leavesOf,
  type Sets,
} from '../kind/condition.ts';
import { type FactField, fieldOf, fieldsOf, VALUES } from '../kind/fact-field.ts';
import type { RuleContent } from '../kind/rule-ext.ts';
import { oddAggregate } from './aggregate.ts';
import { oddDevices } from './devices.ts';
import { oddPeers } from './peers.ts';
import { oddLevel, withoutDevice, withoutLimit } from './sense-level.ts';
import { fieldOfWindow, oddWindow } from './sense-window.ts';
import { refusalOf, type Watches, type Wrong } from './wrong.ts';

/** Why a rule may not do what is meant. */
export const Doubt = z.enum([
  'TEXT',
  'EVERY',
  'NO_NUMBER',
  'NEVER',
  'NOTHING',
  'LIMITS',
  'PLACES',
  'PEERS',
  'SPARSE',
]);
export type Doubt = z.output<typeof Doubt>;
/** With one of these a rule cannot fire as things are. */
export const STOPPING: ReadonlySet<Doubt> = new Set(['NO_NUMBER', 'NEVER', 'NOTHING']);

export const Warnings = z
  .array(Doubt)
  .describe(
    'TEXT: the point has texts, and only those that are numbers are compared; EVERY: every value meets the condition; NO_NUMBER: no value that was looked at is a number that it compares; NEVER: it can never do what it says since what it watches was changed; NOTHING: nothing that it watches is there and enabled; LIMITS, PLACES, PEERS: there are more limits of devices, chosen places, or devices of its group than are looked at; SPARSE: values are farther apart than the time for which the condition must hold, so that one is enough',
  );

type Compared = Exclude<Condition, { operator: 'nodata' } | Sets>;

/** Throws BadRequest for a rule that can never do what it says, with what to write instead. */
export function refuseSenseless(content: RuleContent, watches: Watches): void {
  const wrong = senselessIn(content, watches);
  if (wrong) throw refusalOf(wrong);
}

/** The reason why a rule can never do what it says; null for one that can. */
export function senselessIn(content: RuleContent, of: Watches): Wrong | null {
  const { condition, recovery } = content;
  const odd = oddWindow(content, of) ?? withoutLimit(content) ?? oddPlaces(content, of);
  if (odd) return odd;
  const { field, watches } = comparedBy(content, of);
  const isSilence = condition.operator === 'nodata';
  if (isSet(condition)) return oddSet(content, condition, of);
  const { operator, threshold } = recovery;
  const isOwn = recovery.enabled && operator !== undefined && threshold !== undefined;
  // The condition `nodata` reads no field; it names one only for a recovery with an operator.
  if (isSilence && !isOwn) return null;
  const name = fieldIn(condition);
  if (name === undefined)
    return {
      at: 'recovery',
      why: 'no field is named that it could compare; silence is over with the next value: leave operator and threshold out',
    };
  if (!field) return { at: 'condition.field', why: noField(name, of) };
  const why = isSilence ? null : neverOf(condition, field, watches);
  if (why !== null) return { at: 'condition', why };
  const level = oddLevel(content, (limit) => neverOf(limit, field, watches));
  if (level || !isOwn) return level;
  const over = { field: name, operator, threshold } as const;
  const ends = neverOf(over, field, watches);
  if (ends !== null) return { at: 'recovery', why: `it would never be over: ${ends}` };
  const against = isSilence ? null : contradictionOf(condition, over, { field, watches });
  return against === null ? null : { at: 'recovery', why: against };
}

const oddPlaces = (content: RuleContent, of: Watches): Wrong | null =>
  withoutDevice(content, of) ??
  oddDevices(content, of) ??
  oddPeers(content, of) ??
  oddAggregate(content, of);

/** What may be meant otherwise, of a rule that makes sense: see RulePreview. */
export function doubtsIn(content: RuleContent, of: Watches): Doubt[] {
  const { condition } = content;
  if (condition.operator === 'nodata' || isSet(condition)) return [];
  const { field, watches } = comparedBy(content, of);
  const limits = limitsOf(condition);
  if (!field || limits.length === 0) return [];
  if (field.is === 'text') return watches.type === 'STRING' && !isText(condition) ? ['TEXT'] : [];
  const samples = samplesOf(field, limits);
  const isEvery = samples.every(({ value }) => isMet(condition, value, watches));
  return isEvery && samples.length > 0 ? ['EVERY'] : [];
}

/** Whether a rule compares the values of a point as numbers. */
export const comparesNumbers = ({ condition }: Pick<RuleContent, 'condition'>): boolean =>
  ('threshold' in condition || 'low' in condition) && VALUES.has(fieldIn(condition) ?? '');

/** The first of several conditions that no value meets. */
function oddSet(
  { recovery }: RuleContent,
  set: Sets,
  { type: own, points }: Watches,
): Wrong | null {
  if (recovery.enabled && recovery.operator !== undefined)
    return {
      at: 'recovery',
      why: 'several conditions have no one value that it could compare: leave operator and threshold out',
    };
  for (const leaf of leavesOf(set)) {
    const type = leaf.point === undefined ? own : (points?.get(leaf.point) ?? null);
    const watches: Watches = { target: 'POINT', type };
    const field = fieldOf('POINT', type, leaf.field);
    const why = field && neverOf(leaf, field, watches);
    if (why !== null) return { at: 'condition', why: `${nameIn(leaf)}${why}` };
  }
  return null;
}

const ANY = { low: -Number.MAX_VALUE, high: Number.MAX_VALUE, whole: false };

const nameIn = ({ point }: Leaf): string => (point === undefined ? '' : `${quoted(point)}: `);

const NUMBER: FactField = { is: 'number', ...ANY };

/** What a rule compares, and the type that it has then: of a window, a number. */
function comparedBy(
  { condition, window, aggregate }: RuleContent,
  given: Watches,
): { field: FactField | null; watches: Watches } {
  const name = fieldIn(condition);
  const mode = aggregate && !isQuantifier(aggregate.function) ? aggregate.function : null;
  const isNumber = isFormula(condition) || mode !== null;
  const of: Watches = isNumber ? { ...given, type: 'DOUBLE' } : given;
  const ofEach = name === undefined ? null : fieldOf(given.target, given.type, name);
  const field = isFormula(condition)
    ? NUMBER
    : ofEach && mode !== null
      ? fieldOfWindow({ mode, minSamples: aggregate?.minDevices }, ofEach, MAX_AGGREGATED)
      : ofEach;
  return window.mode === 'LAST' || field === null
    ? { field, watches: of }
    : { field: fieldOfWindow(window, field), watches: { ...of, type: 'DOUBLE' } };
}

function noField(name: string, { target, type }: Watches): string {
  const names = Object.keys(fieldsOf(target, type));
  const near = nearest(name, names).find((each) => isNear(name, each));
  const known =
    near === undefined ? `write one of ${names.join(', ')}` : `did you mean ${quoted(near)}?`;
  const parameter = target === 'EVENT' ? ', or paramValues. and the name of a parameter' : '';
  return `rules on ${target} see no field ${quoted(name)}; ${known}${parameter}`;
}

const isText = (condition: Compared) => 'expected' in condition;
const asNumber = (text: string): number | null => {
  const number = canonical('DOUBLE', text);
  return number === null ? null : Number(number);
};
/** As a rule sees it that compares one field. */
const isMet = (condition: Compared, value: string | number | boolean, { type }: Watches): boolean =>
  matches(condition, { [condition.field]: value }, type ?? undefined) === true;
const saidOf = (condition: Compared): string =>
  demandOf({ condition, window: { mode: 'LAST' } }).trim();

/** Why no fact ever meets a condition on a field, and what to write; null: one may. */
function neverOf(condition: Compared, field: FactField, watches: Watches): string | null {
  const { operator, field: name } = condition;
  if (operator === 'missing')
    return field.isAlways ? `every fact has ${name}: it is never missing` : null;
  if (field.is === 'nothing')
    return `a point of type ${watches.type} has no ${name}: compare value instead`;
  if (operator === 'exists') return null;
  if (field.is === 'among') return notAmong(condition, field.values, watches);
  if (field.is === 'number') return noNumber(condition, field, watches);
  if (field.is === 'time' && !isText(condition))
    return `${name} is a time, which is compared as a text: write eq, ne or contains with expected`;
  if (field.is === 'id' && isText(condition) && !/^\d+$/.test(condition.expected))
    return `${name} is a number: write its digits as expected, not ${quoted(condition.expected)}`;
  return null;
}

function notAmong(
  condition: Compared,
  values: readonly (string | number | boolean)[],
  watches: Watches,
): string | null {
  // Other than what it never is says as little as the same.
  const asked: Compared =
    isText(condition) && condition.operator !== 'contains'
      ? { ...condition, operator: 'eq' }
      : condition;
  if (values.some((value) => isMet(asked, value, watches))) return null;
  const names = watches.type === 'BOOLEAN' ? ['true', 'false'] : values;
  return `${condition.field} is never ${saidOf(asked)}; it is one of ${names.join(', ')}`;
}

type Numbers = Extract<FactField, { is: 'number' }>;

function noNumber(condition: Compared, field: Numbers, watches: Watches): string | null {
  const { field: name } = condition;
  if (isText(condition)) {
    if (condition.operator === 'contains')
      return /^[\d.eE+-]*$/.test(condition.expected)
        ? null
        : `${name} is a number, which has no ${quoted(condition.expected)} in it: write == with threshold`;
    if (asNumber(condition.expected) === null)
      return `${name} is a number, and ${quoted(condition.expected)} is none: write == or != with threshold`;
  }
  const samples = samplesOf(field, limitsOf(condition));
  if (samples.some(({ value }) => isMet(condition, value, watches))) return null;
  const whole = field.whole ? 'a whole number' : 'a number';
  return `${name} is ${whole} from ${field.low} to ${field.high}: it is never ${saidOf(condition)}`;
}

/** The numbers that a condition compares with. */
function limitsOf(condition: Compared): number[] {
  if ('threshold' in condition) return [condition.threshold];
  if ('low' in condition) return [condition.low, condition.high];
  const number = isText(condition) ? asNumber(condition.expected) : null;
  return number === null ? [] : [number];
}

type Sample = { value: number | boolean; isLimit: boolean };

/** One value of each part that the limits divide the values of a field into, and the limits. */
function samplesOf(field: FactField, limits: readonly number[]): Sample[] {
  if (field.is === 'among')
    return field.values.flatMap((value) =>
      typeof value === 'string' ? [] : { value, isLimit: false },
    );
  const { low, high, whole } = field.is === 'number' ? field : ANY;
  const sorted = limits.toSorted((a, b) => a - b);
  const first = sorted[0] ?? 0;
  const last = sorted.at(-1) ?? 0;
  const between = sorted.map((limit, at) => limit / 2 + (sorted[at + 1] ?? limit) / 2);
  const ends = [first - Math.max(1, Math.abs(first)), last + Math.max(1, Math.abs(last))];
  const all = [...sorted, ...between, ...ends];
  const near = (value: number) => [Math.floor(value), Math.ceil(value)];
  const values = whole
    ? all.flatMap((value) => [...near(value), ...near(value - 1), ...near(value + 1)])
    : all;
  return values
    .filter((value) => value >= low && value <= high)
    .map((value) => ({ value, isLimit: limits.includes(value) }));
}

type Recovery = Extract<Compared, { threshold: number }>;

/** Why a recovery contradicts the condition of its rule, and what to write; null: it does not. */
function contradictionOf(
  condition: Compared,
  over: Recovery,
  { field, watches }: { field: FactField; watches: Watches },
): string | null {
  const { operator } = condition;
  const limits = limitsOf(condition);
  if (limits.length === 0 && operator !== 'exists' && field.is !== 'among') return null;
  const samples = samplesOf(field, [...limits, over.threshold]);
  const fires = samples.filter(({ value }) => isMet(condition, value, watches));
  const isOver = ({ value }: Sample) =>
    compares(
      { [over.field]: value },
      { field: over.field, type: watches.type ?? undefined },
      over.operator,
      over.threshold,
    ) === true;
  const both = fires.filter(isOver);
  if (both.length === 0) return null;
  const said = `${over.operator} ${over.threshold}`;
  const instead = `leave it out, or write one outside of the condition (${saidOf(condition)})`;
  if (both.length === fires.length)
    return `every value that fires is ${said} too: the alarm would be over with the next one; ${instead}`;
  if (both.length === samples.filter(isOver).length)
    return `what is ${said} still meets the condition: the alarm would not be over; ${instead}`;
  // One recovery cannot lie outside of both sides.
  const hasSides = ['outside', '!=', 'ne'].includes(operator);
  return !hasSides && both.some(({ isLimit }) => !isLimit)
    ? `some values that are ${said} still meet the condition: they would fire and be over by turns; ${instead}`
    : null;
}
