import { setImmediate } from 'node:timers/promises';

import { type Extreme, extremeOf } from '../../condition/condition.ts';
import { type Fact, type History } from '../../condition/fact.ts';
import type { ActiveRule } from '../../condition/fact.ts';
import { seenOf } from '../../condition/seen.ts';
import { AlarmLevel } from '../../kind/alarm.ts';
import { durationMs } from '../../kind/duration.ts';
import { RuleStatus } from '../../kind/rule-status.ts';
import { holdMs } from '../../kind/window.ts';
import { type Decision, UNCHANGED, changed, decide, remembered } from '../decide.ts';
import { atLevel } from '../level.ts';

/** A fact and when it came (ms). */
export type Arrived = { fact: Fact; now: number };

/** Where the facts are from. */
export type Place = Pick<Fact, 'entityId' | 'deviceId' | 'driverId' | 'pointId' | 'pointType'>;
type Span = { from: number; to: number };

/** An alarm that the rule would have raised. */
export type Replayed = Place & {
  /** When its condition began to hold, when it fired, and when it recovered (ms); null: it fires until the end. */
  from: number;
  fired: number;
  to: number | null;
  extreme: number | null;
  /** The threshold of its device; null where its condition has none. */
  limit: number | null;
  /** The most urgent that it would have had. */
  level: keyof typeof AlarmLevel;
  /** Facts that matched since it fired, with the one that fired it. */
  matches: number;
};

/** Facts between which other requests are served. */
const SLICE = 5_000;

/** The scan for hold times has run within this time (start.ts). */
export const SCAN_MS = 15_000;

const unknown = (): History => ({
  entityStateFlag: RuleStatus.CLOSED,
  holdingSince: null,
  firstTriggerTime: null,
  lastTriggerTime: null,
  lastRecoverTime: null,
  lastFactTime: null,
  lastFactSeq: '0',
  triggerCount: '0',
  entityStateExt: {},
  memory: {},
});

type Replay = {
  place: Place;
  facts: Iterable<Arrived>;
  span: Span;
  /** What the state remembers at first. */
  memory?: Record<string, unknown>;
  onFact(fact: Fact): void;
  /** Of each fact that decides the condition. */
  onMatch(seen: Arrived, match: boolean): void;
};

/**
 * The alarms that a rule would have raised of the facts of one place, given in the order in which they came: the
 * decisions of `decide`, kept in memory. The rule begins without a state, and with silence from `from` on.
 */
export async function replay(
  rule: ActiveRule,
  { place, facts, span, memory: remembers = {}, onFact, onMatch }: Replay,
): Promise<Replayed[]> {
  const extreme = extremeOf(rule.content.condition);
  const { condition } = rule.content;
  const limit = 'threshold' in condition ? condition.threshold : null;
  const episodes: Replayed[] = [];
  let state = { ...unknown(), memory: remembers };
  let most: Extreme = extreme.none;
  let holding: Arrived | null = null;
  const take = (arrived: Arrived): void => {
    const { now } = arrived;
    const { fact, match, memory } = seenOf({ rule, ...arrived }, state);
    const given = { rule, fact, now };
    if (memory) state.memory = memory;
    if (match === null) return;
    const decision = decide(given, state, match);
    if (!decision) return;
    if (!fact.heldFor && !fact.silentFor) onMatch(given, match);
    const isNew = decision.begun !== null || decision.change.by === 'match';
    state = after(state, given, decision);
    // Nearly all facts are such, and nobody asks how far they are beyond the limit.
    if (decision === UNCHANGED) return;
    most = extreme.of(isNew ? extreme.none : most, fact.values);
    if (decision.change.holdingSince) holding = { fact, now };
    const last = episodes.at(-1);
    const levelOf = () => atLevel(rule, fact).content.severity;
    if (decision.alarm === 'fires')
      episodes.push({
        ...place,
        from: state.firstTriggerTime?.getTime() ?? fact.at,
        fired: fact.at,
        to: null,
        extreme: most,
        limit,
        level: levelOf(),
        matches: 1,
      });
    else if (last && decision.alarm === 'recovers') last.to = fact.at;
    else if (last && last.to === null) {
      last.extreme = most;
      if (decision.change.triggerCount !== undefined) last.matches += 1;
      const level = levelOf();
      if (match && AlarmLevel[level] < AlarmLevel[last.level]) last.level = level;
    }
  };
  const untilHeld = (until: number): void => {
    const held = holding && heldBefore(rule, { state, holding, until });
    if (held) take(held);
  };
  let count = 0;
  for (const arrived of withSilence(rule, { place, facts, span })) {
    count += 1;
    if (count % SLICE === 0) await setImmediate();
    onFact(arrived.fact);
    untilHeld(arrived.now);
    take(arrived);
  }
  untilHeld(span.to);
  return episodes;
}

/** What the scan makes of a condition, or recovery, whose time ends while nothing comes (watch/held.ts). */
function heldBefore(
  { id, content: { window, recovery } }: ActiveRule,
  { state, holding, until }: { state: History; holding: Arrived; until: number },
): Arrived | null {
  const { entityStateFlag, holdingSince } = state;
  if (!holdingSince) return null;
  const isFiring = entityStateFlag === RuleStatus.FIRING;
  const heldMs = isFiring ? (durationMs(recovery.duration ?? 'PT0S') ?? 0) : holdMs(window);
  const now = Math.max(holding.now, holdingSince.getTime() + heldMs);
  return until - now < SCAN_MS ? null : { fact: { ...holding.fact, at: now, heldFor: id }, now };
}

function after(state: History, given: { rule: ActiveRule } & Arrived, decision: Decision): History {
  const { begun, change } = decision;
  const { fact } = given;
  const entityStateExt = remembered(given, state);
  // Of nearly all facts only the time changes the state, in the date of the one before: a month has a million.
  if (decision === UNCHANGED && state.lastFactTime && !fact.silentFor && !fact.heldFor) {
    state.lastFactTime.setTime(fact.at);
    state.lastFactSeq = String(fact.seq ?? 0n);
    state.entityStateExt = entityStateExt;
    return state;
  }
  if (begun) Object.assign(state, changed(given, begun));
  return Object.assign(state, changed(given, change), { entityStateExt });
}

/** The facts, and for a `nodata` rule with those that the scan makes while nothing comes. */
const withSilence = (
  rule: ActiveRule,
  given: { place: Place; facts: Iterable<Arrived>; span: Span },
): Iterable<Arrived> =>
  rule.content.condition.operator === 'nodata' ? silencesIn(rule, given) : given.facts;

function* silencesIn(
  { id, content: { window } }: ActiveRule,
  { place, facts, span }: { place: Place; facts: Iterable<Arrived>; span: Span },
): Generator<Arrived> {
  const silentMs = durationMs(window.duration ?? '') ?? Infinity;
  let heard = span.from;
  const silence = (until: number): Arrived[] => {
    const now = heard + silentMs;
    return until < now ? [] : [{ fact: { ...place, values: {}, at: now, silentFor: id }, now }];
  };
  for (const each of facts) {
    yield* silence(each.now);
    yield each;
    // A broken sensor reports bad values, and is silent (watch/no-data.ts).
    if (each.fact.values['quality'] !== 'BAD') heard = each.now;
  }
  yield* silence(span.to);
}
