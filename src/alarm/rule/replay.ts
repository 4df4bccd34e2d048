import { setImmediate } from 'node:timers/promises';

import { type Extreme, extremeOf } from '../condition/condition.ts';
import { type Fact, type History } from '../condition/fact.ts';
import type { ActiveRule } from '../condition/fact.ts';
import { seenOf } from '../condition/seen.ts';
import { durationMs } from '../kind/duration.ts';
import { RuleStatus } from '../kind/rule-status.ts';
import { type Decision, changed, decide, remembered } from './decide.ts';

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
};

/** Facts between which other requests are served. */
const SLICE = 5_000;

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

/**
 * The alarms that a rule would have raised of the facts of one place, given in the order in which they came: the
 * decisions of `decide`, kept in memory. The rule begins without a state, and with silence from `from` on.
 */
export async function replay(
  rule: ActiveRule,
  { place, facts, span }: { place: Place; facts: readonly Arrived[]; span: Span },
): Promise<Replayed[]> {
  const extreme = extremeOf(rule.content.condition);
  const episodes: Replayed[] = [];
  let state = unknown();
  let most: Extreme = extreme.none;
  let count = 0;
  for (const arrived of withSilence(rule, { place, facts, span })) {
    count += 1;
    if (count % SLICE === 0) await setImmediate();
    const { now } = arrived;
    const { fact, match, memory } = seenOf({ rule, ...arrived }, state);
    const given = { rule, fact, now };
    state = { ...state, memory: memory ?? state.memory };
    if (match === null) continue;
    const decision = decide(given, state, match);
    if (!decision) continue;
    const isNew = decision.begun !== null || decision.change.by === 'match';
    most = extreme.of(isNew ? extreme.none : most, fact.values);
    state = after(state, given, decision);
    const last = episodes.at(-1);
    if (decision.alarm === 'fires')
      episodes.push({
        ...place,
        from: state.firstTriggerTime?.getTime() ?? fact.at,
        fired: fact.at,
        to: null,
        extreme: most,
      });
    else if (last && decision.alarm === 'recovers') last.to = fact.at;
    else if (last && last.to === null) last.extreme = most;
  }
  return episodes;
}

function after(
  state: History,
  given: { rule: ActiveRule } & Arrived,
  { begun, change }: Decision,
): History {
  const entityStateExt = remembered(given, state);
  return {
    ...state,
    ...(begun ? changed(given, begun) : {}),
    ...changed(given, change),
    entityStateExt,
  };
}

/** The facts, and for a `nodata` rule with those that the scan makes while nothing comes. */
function* withSilence(
  { id, content: { condition, window } }: ActiveRule,
  { place, facts, span }: { place: Place; facts: readonly Arrived[]; span: Span },
): Generator<Arrived> {
  const isSilence = condition.operator === 'nodata';
  const silentMs = isSilence ? (durationMs(window.duration ?? '') ?? Infinity) : Infinity;
  let heard = span.from;
  const silence = (until: number): Arrived[] => {
    const now = heard + silentMs;
    return until < now ? [] : [{ fact: { ...place, values: {}, at: now, silentFor: id }, now }];
  };
  for (const each of facts) {
    yield* silence(each.now);
    yield each;
    heard = each.now;
  }
  yield* silence(span.to);
}
