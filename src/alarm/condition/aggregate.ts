import { z } from 'zod';

import { quoted } from '../../kernel/sentence/voice.ts';
import {
  type NumberFunction,
  type Quantifier,
  isQuantified,
  isQuantifier,
  type Aggregate,
} from '../kind/aggregate.ts';
import { HOLDS, matches, numberIn, type Values } from './condition.ts';
import type { ActiveRule, Evaluated, Fact, History } from './fact.ts';
import { maxAgeOf, timeAmong } from './points.ts';

/** Devices that are judged together: of more those with the lowest ids. */
export const MAX_AGGREGATED = 100;
/** Devices that an alarm names. */
const MAX_NAMED = 10;
/** Characters that a state keeps of a text, of which there is one for each device. */
const MAX_TEXT = 64;
/** Groups that it names: before the devices, and a message has an end. */
const MAX_GROUPS = 3;

const Newest = z.object({
  at: z.number(),
  seq: z.number(),
  /** Until when it counts (ms). */
  until: z.number(),
  /** What the rule compares of it; null for nothing. */
  value: z.union([z.string(), z.number(), z.null()]),
  /** Whether it matches, of a rule that compares each device. */
  isMet: z.boolean(),
});
type Newest = z.output<typeof Newest>;
const Known = z.record(z.string(), Newest);
/** The newest good value of each device, by its id. */
type Known = z.output<typeof Known>;

/** Those that were made in this process: none of their values needs another look. */
const MADE = new WeakSet<object>();
const isMade = (stored: unknown): stored is Known =>
  typeof stored === 'object' && stored !== null && MADE.has(stored);

/** A fact as one of all devices of its rule, where the rule judges them aggregate. */
export const ofAll = ({ target, content }: ActiveRule, fact: Fact): Fact =>
  target !== 'POINT' || !content.aggregate || fact.heldFor !== undefined
    ? fact
    : { ...fact, deviceId: '0', driverId: '0', member: fact.deviceId };

/** What a state remembers of the newest values of devices; null: nothing yet. */
const knownIn = ({ memory }: Pick<History, 'memory'>): Known | null => {
  const given = memory['devices'];
  if (isMade(given)) return given;
  return Known.safeParse(given).data ?? null;
};

/** Whether a rule judges devices together of which its state has not seen a value yet. */
export const isUnseen = (
  { rule, fact }: Pick<Evaluated, 'rule' | 'fact'>,
  state: Pick<History, 'memory'>,
): boolean => fact.member !== undefined && rule.content.aggregate !== undefined && !knownIn(state);

/** What a state of a rule remembers of values that came before its first one. */
export function rememberedOf(rule: ActiveRule, facts: readonly Fact[]): Record<string, unknown> {
  const known: Known = {};
  for (const fact of facts) {
    const newest = newestOf(rule, fact);
    if (newest) known[fact.deviceId] = newest;
  }
  MADE.add(known);
  return { devices: known };
}

/** Null for a bad value. */
function newestOf({ content }: ActiveRule, fact: Fact): Newest | null {
  const value = goodIn(fact);
  if (value === null || !content.aggregate) return null;
  const { condition, aggregate } = content;
  const { at, seq = 0n, pointType: type } = fact;
  const until = at + maxAgeOf(content, fact);
  return { at, seq: Number(seq), until, ...comparedIn({ condition, aggregate, type }, value) };
}

/** The value of a fact; null for a bad one. */
export function goodIn({ values: { value } }: Pick<Fact, 'values'>): string | number | null {
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

/** What a state keeps of a value; a change of its rule deletes the state. */
export function comparedIn(
  { aggregate, condition, type }: Given,
  value: string | number,
): Pick<Newest, 'value' | 'isMet'> {
  if (aggregate.function === 'COUNT') return { value: null, isMet: false };
  const number = numberIn({ value }, 'value');
  if (!isQuantified(aggregate)) return { value: number, isMet: false };
  const text = typeof value === 'string' ? value.slice(0, MAX_TEXT) : value;
  const isMet = matches(condition, { value }, type) === true;
  return { value: 'expected' in condition ? text : (number ?? text), isMet };
}

/**
 * A fact with what the newest values of all devices come to, and what is known of them then; null for a bad value, and
 * one that is not newer than that of its device. As `withPoints`, of devices in place of points.
 */
export function withAll(
  { rule, fact, now }: Evaluated,
  state: Pick<History, 'memory' | 'lastFactTime' | 'lastFactSeq'>,
): { fact: Fact; known: Known } | null {
  const { member = '', pointId } = fact;
  const { aggregate, condition } = rule.content;
  const devices = rule.devices ?? NONE;
  const own = newestOf(rule, fact);
  const before = knownIn(state) ?? {};
  const last = before[member];
  const isNewer = !last || last.at > now || (own && (own.at - last.at || own.seq - last.seq) > 0);
  if (!own || !isNewer || !aggregate) return null;
  const known: Known = {};
  // A clock that was set back leaves values of the future.
  for (const id in before) {
    const newest = before[id];
    if (newest && newest.at <= now && devices.has(id)) known[id] = newest;
  }
  known[member] = own;
  MADE.add(known);
  const time = timeAmong(Object.values(known), { fact, now }, state);
  const counted = Object.entries(known).filter(([, { until }]) => until >= time.at);
  const values = {
    deviceId: '0',
    driverId: '0',
    pointId,
    createTime: fact.values['createTime'] ?? null,
    ...comparedOf({ aggregate, condition }, counted, devices),
    counted: counted.length,
    devices: devices.size,
    groups: listed(rule.groupNames ?? [], MAX_GROUPS),
  };
  const pointType = isQuantified(aggregate) ? fact.pointType : 'DOUBLE';
  return { fact: { ...fact, ...time, values, pointType }, known };
}

const NONE: ReadonlyMap<string, string> = new Map();

type Given = Pick<ActiveRule['content'], 'condition'> & {
  aggregate: Aggregate;
  type: Fact['pointType'];
};
type Counted = readonly (readonly [string, Newest])[];

/**
 * The values that the condition of an aggregate rule compares, from the newest values of its devices; `devices` has their
 * names by id. A compared value is null where too few devices count.
 */
export function comparedOf(
  given: Omit<Given, 'type'>,
  counted: Counted,
  devices: ReadonlyMap<string, string>,
): Values {
  const { function: of, minDevices = 1 } = given.aggregate;
  const isEnough = counted.length >= minDevices;
  if (isQuantifier(of)) return matchedOf({ ...given, of, isEnough }, counted, devices);
  const numbers = counted.flatMap(([id, { value }]) =>
    typeof value === 'number' ? [{ id, number: value }] : [],
  );
  const come = of === 'COUNT' ? counted.length : numberOf(of, numbers);
  const value = isEnough ? come : null;
  const isOfOne = of === 'MIN' || of === 'MAX';
  const ids = isOfOne ? numbers.flatMap(({ id, number }) => (number === value ? id : [])) : [];
  return { value, ...(ids.length > 0 && { named: namedOf(ids, devices) }) };
}

/** Which devices match, whether that holds, and the value that decides it. */
function matchedOf(
  {
    aggregate,
    condition,
    of,
    isEnough,
  }: Omit<Given, 'type'> & { of: Quantifier; isEnough: boolean },
  counted: Counted,
  devices: ReadonlyMap<string, string>,
): Values {
  const { atLeast = 1, minDevices } = aggregate;
  const met = counted.filter(([, { isMet }]) => isMet);
  const isWhole = minDevices !== undefined || counted.length >= devices.size;
  const holds = {
    ALL: met.length === counted.length,
    ANY: met.length >= atLeast,
    NONE: met.length === 0,
  }[of];
  const isKnown = isEnough && (of === 'ANY' || !holds || isWhole);
  const ranked = rankedBy(condition, counted);
  const decisive = ranked.at({ ALL: -1, ANY: atLeast - 1, NONE: 0 }[of]) ?? null;
  return {
    value: isEnough ? decisive : null,
    [HOLDS]: isKnown ? holds : null,
    matching: met.length,
    named: namedOf(
      met.map(([id]) => id),
      devices,
    ),
  };
}

function numberOf(
  of: Exclude<NumberFunction, 'COUNT'>,
  numbers: readonly { number: number }[],
): number | null {
  const all = numbers.map(({ number }) => number);
  if (all.length === 0) return null;
  if (of === 'MIN') return Math.min(...all);
  if (of === 'MAX') return Math.max(...all);
  const sum = all.reduce((before, each) => before + each, 0);
  return Number((of === 'SUM' ? sum : sum / all.length).toPrecision(12));
}

/** The values, those that match first, the one that is farthest beyond the limit before the others. */
function rankedBy(condition: Given['condition'], counted: Counted): Newest['value'][] {
  const isBelow =
    'threshold' in condition && (condition.operator === '<' || condition.operator === '<=');
  const isOrdered = 'threshold' in condition && !['==', '!='].includes(condition.operator);
  return counted
    .map(([, newest]) => newest)
    .toSorted((a, b) => {
      const first = Number(b.isMet) - Number(a.isMet);
      if (first !== 0 || !isOrdered) return first;
      return (isBelow ? 1 : -1) * (Number(a.value) - Number(b.value));
    })
    .map(({ value }) => value);
}

function namedOf(ids: readonly string[], devices: ReadonlyMap<string, string>): string {
  const names = ids.map((id) => devices.get(id) ?? id);
  return listed(names, MAX_NAMED);
}

function listed(names: readonly string[], most: number): string {
  const shown = names.slice(0, most).map((name) => quoted(name));
  const more = names.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
