import { z } from 'zod';

import { AttributeType } from '../../bus/topic/topics.ts';
import { STALE_AFTER, intervalOf } from '../../data/value/freshness.ts';
import {
  type Condition,
  FORMULA,
  isFormula,
  isSet,
  type Leaf,
  leavesOf,
  type Part,
  type Sets,
  partsOf,
} from '../kind/condition.ts';
import { durationMs } from '../kind/duration.ts';
import { type Formula, formulaOf, numberFrom } from '../kind/formula.ts';
import type { RuleContent } from '../kind/rule-ext.ts';
import { HOLDS, matches, numberOf, type Values } from './condition.ts';
import type { Evaluated, Fact, History } from './fact.ts';
import type { ActiveRule } from './fact.ts';

/** In a formula, the point that the rule watches. */
const OWN = 'value';
const Newest = z.object({
  at: z.number(),
  seq: z.number(),
  type: AttributeType.optional(),
  values: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
});
type Newest = z.output<typeof Newest>;
const Known = z.record(z.string(), Newest);
/** The newest good value of each point of a device, by the id of the point. */
export type Known = z.output<typeof Known>;

/** What was made here: it needs no look at each value again. */
const MADE = new WeakSet<object>();

const isMade = (stored: unknown): stored is Known =>
  typeof stored === 'object' && stored !== null && MADE.has(stored);

/** Whether a condition is on several points of a device. */
export const hasPoints = ({ condition }: RuleContent): boolean =>
  isSet(condition) || isFormula(condition);

/** The names of points in a condition, as it was written. */
export function namesIn({ condition }: Pick<RuleContent, 'condition'>): string[] {
  const names = isFormula(condition)
    ? formulaIn(condition).names.filter((name) => name !== OWN)
    : isSet(condition)
      ? leavesOf(condition).flatMap(({ point }) => point ?? [])
      : [];
  return [...new Set(names)];
}

/** The ids of the points that a condition compares: of one value, that of the point that the rule watches. */
export function comparedIds({
  entityId,
  content,
}: Pick<ActiveRule, 'entityId' | 'content'>): string[] {
  const { condition, points = {} } = content;
  const names: readonly (string | undefined)[] = isFormula(condition)
    ? formulaIn(condition).names
    : isSet(condition)
      ? leavesOf(condition).map(({ point }) => point)
      : [undefined];
  const idOf = (name: string | undefined): string =>
    name === undefined || (name === OWN && isFormula(condition)) ? entityId : (points[name] ?? '');
  return [...new Set(names.map(idOf))];
}

/** The points whose values a rule looks at. */
export const pointsOf = ({ entityId, content }: ActiveRule): string[] => [
  ...new Set([entityId, ...(hasPoints(content) ? Object.values(content.points ?? {}) : [])]),
];

/** A fact as one of the point that the rule watches, whichever of its points it is of. */
export const ofRule = ({ target, entityId, content }: ActiveRule, fact: Fact): Fact =>
  target !== 'POINT' || !hasPoints(content) || entityId === fact.entityId
    ? fact
    : { ...fact, entityId, pointId: entityId, source: fact.pointId };

const FORMULAS = new WeakMap<Condition, Formula>();

function formulaIn(condition: Extract<Condition, { formula: string }>): Formula {
  const known = FORMULAS.get(condition) ?? formulaOf(condition.formula);
  FORMULAS.set(condition, known);
  return known;
}

/**
 * A fact with what the condition compares of all points, and what is known of them then; null for a bad value, and one
 * that is not newer than that of its point. It is of the newest of their times: a value that came a little later than
 * one of another point still counts.
 */
export function withPoints(
  { rule, fact, now }: Evaluated,
  { memory, lastFactTime, lastFactSeq }: Pick<History, 'memory' | 'lastFactTime' | 'lastFactSeq'>,
): { fact: Fact; known: Known } | null {
  const own = newestOf(fact);
  const given = memory['points'];
  const stored = isMade(given) ? given : (Known.safeParse(given).data ?? {});
  // A clock that was set back leaves values of the future.
  const isPast = ({ at }: Newest): boolean => at <= now;
  const before = Object.values(stored).every(isPast)
    ? stored
    : Object.fromEntries(Object.entries(stored).filter(([, newest]) => isPast(newest)));
  const id = fact.source ?? fact.pointId;
  if (!own || !isNewer(own, before[id])) return null;
  const known = { ...before, [id]: own };
  MADE.add(known);
  const { at, seq } = timeAmong(Object.values(known), { fact, now }, { lastFactTime, lastFactSeq });
  const compared = comparedOf(rule, known, at - maxAgeOf(rule.content, fact));
  const { deviceId, driverId, createTime = null } = fact.values;
  const about = { deviceId: deviceId ?? null, driverId: driverId ?? null, createTime };
  const values = { ...about, ...known[rule.entityId]?.values, ...compared };
  return { fact: { ...fact, values, at, seq }, known };
}

/** When several values are decided: at the newest of their times, and after what was decided before. */
export function timeAmong(
  known: readonly Pick<Newest, 'at'>[],
  { fact, now }: Pick<Evaluated, 'fact' | 'now'>,
  { lastFactTime, lastFactSeq }: Pick<History, 'lastFactTime' | 'lastFactSeq'>,
): { at: number; seq: bigint } {
  const decided = lastFactTime && lastFactTime.getTime() <= now ? lastFactTime.getTime() : -1;
  const at = Math.max(decided, ...known.map((each) => each.at));
  return { at, seq: at === decided ? BigInt(lastFactSeq) + 1n : (fact.seq ?? 0n) };
}

/** How old values may be that are compared with a fact (ms). */
export const maxAgeOf = ({ maxAge }: RuleContent, { staleMs }: Pick<Fact, 'staleMs'>): number =>
  (maxAge === undefined ? null : durationMs(maxAge)) ?? staleMs ?? STALE_AFTER * intervalOf(null);

const FIELDS = ['value', 'calValue', 'numValue', 'rawValue'] as const;

/** Null for a bad value, which has none of these fields. */
function newestOf({ values, at, seq = 0n, pointType }: Fact): Newest | null {
  const kept: Record<string, Values[string]> = {};
  let isBad = true;
  for (const field of FIELDS) {
    if (values[field] === undefined) continue;
    kept[field] = values[field];
    isBad = false;
  }
  return isBad ? null : { at, seq: Number(seq), type: pointType, values: kept };
}

const isNewer = (own: Newest, other: Newest | undefined): boolean =>
  !other || own.at > other.at || (own.at === other.at && own.seq > other.seq);

/** What a condition compares, and the values that it comes from; those from before `since` are too old to say. */
function comparedOf({ entityId, content }: ActiveRule, known: Known, since: number): Values {
  const { condition, points = {} } = content;
  const freshOf = (name: string | undefined): Newest | undefined => {
    const newest = known[name === undefined ? entityId : (points[name] ?? '')];
    return newest && newest.at >= since ? newest : undefined;
  };
  const shown = namesIn(content).map((name) => [
    `points.${name}`,
    freshOf(name)?.values['value'] ?? null,
  ]);
  if (isSet(condition))
    return {
      ...Object.fromEntries(shown),
      [HOLDS]: holds(condition, (leaf) => {
        const newest = freshOf(leaf.point);
        return newest ? matches(leaf, newest.values, newest.type) : null;
      }),
    };
  if (!isFormula(condition)) return {};
  const number = numberFrom(formulaIn(condition), (name) => {
    const newest = freshOf(name === OWN ? undefined : name);
    return newest ? numberOf(newest.values, { field: 'value', type: newest.type }) : null;
  });
  return { ...Object.fromEntries(shown), [FORMULA]: number };
}

/** Whether a set of conditions holds; null where those that cannot be decided may decide it. */
function holds(part: Part | Sets, of: (leaf: Leaf) => boolean | null): boolean | null {
  if (!isSet(part)) return of(part);
  const each = partsOf(part).map((inner) => holds(inner, of));
  const ends = part.operator !== 'all';
  const whole = each.includes(ends) ? ends : each.includes(null) ? null : !ends;
  return part.operator === 'not' && whole !== null ? !whole : whole;
}
