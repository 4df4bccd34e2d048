import { compares } from '../condition/condition.ts';
import type { Evaluated, Fact, History } from '../condition/fact.ts';
import { fieldIn } from '../kind/condition.ts';
import { durationMs } from '../kind/duration.ts';
import { type allowing, RuleStatus } from '../kind/rule-status.ts';
import { holdMs } from '../kind/window.ts';

/** A change of a state; what it does not name stays. */
export type Change = Partial<
  Pick<History, 'holdingSince' | 'firstTriggerTime' | 'lastTriggerTime' | 'lastRecoverTime'>
> & { triggerCount?: string; to?: RuleStatus; by?: Parameters<typeof allowing>[0] };

/** What one fact does to a state. */
export type Decision = {
  /** The beginning of an episode that fires at once, before `change`. */
  begun: Change | null;
  change: Change;
  /** What becomes of the alarm; `normal`: its condition is over, and it goes on until a person confirms it. */
  alarm: 'stays' | 'fires' | 'normal' | 'recovers';
};

/** A fact that changes nothing, but that it was processed. */
export const UNCHANGED: Decision = { begun: null, change: {}, alarm: 'stays' };
const only = (change: Change): Decision => ({ begun: null, change, alarm: 'stays' });

/**
 * What a fact that matches, or does not, does to the state of its rule; null if the state has processed it or a newer
 * one, or it is nothing to it. Nothing is read or written: rows (evaluate.ts) and previews follow the same decisions.
 */
export function decide(given: Evaluated, state: History, match: boolean): Decision | null {
  if (isPast(given, state, match) || isIdle(given.rule, match, state.entityStateFlag)) return null;
  return state.entityStateFlag === RuleStatus.FIRING
    ? whileFiring(given, state, match)
    : untilFiring(given, state, match);
}

/** The columns of a state that a change sets. */
export const changed = (
  { fact }: Pick<Evaluated, 'fact'>,
  { to, by: _by, ...columns }: Change,
): Partial<Omit<History, 'entityStateExt' | 'memory'>> => ({
  ...columns,
  ...(to ? { entityStateFlag: RuleStatus[to] } : {}),
  ...(fact.silentFor || fact.heldFor
    ? {}
    : { lastFactTime: at(fact.at), lastFactSeq: String(fact.seq ?? 0n) }),
});

/** An event that does not match can only end an alarm: while none fires, it changes nothing. */
export const isIdle = (
  { target }: Pick<Rule, 'target'>,
  match: boolean,
  entityStateFlag: number | undefined,
): boolean => target === 'EVENT' && !match && entityStateFlag !== RuleStatus.FIRING;

/** Whether the state has processed this fact, or a newer one. */
function isPast({ rule, fact, now }: Evaluated, state: History, match: boolean): boolean {
  if (fact.silentFor) {
    const silentMs = durationMs(rule.content.window.duration ?? 'PT0S') ?? 0;
    return lastSeenTime(state) > now - silentMs;
  }
  // What held may have been ended, or fired, since it was found.
  if (fact.heldFor)
    return state.holdingSince === null || isGap(rule, state, heldUntil(rule, state));
  // Each event counts once in any order; one that ends the alarm must not be older than its last trigger.
  if (rule.target === 'EVENT')
    return match
      ? fact.reportId !== undefined && seenReports(state).includes(fact.reportId)
      : fact.at < notAhead(state.lastTriggerTime, now);
  // Compare origin times, so that a late buffered value neither fires nor clears the state.
  const behind = notAhead(state.lastFactTime, now) - fact.at;
  return behind > 0 || (behind === 0 && (fact.seq ?? 0n) <= BigInt(state.lastFactSeq));
}

/** Ignores a stored time in the future (a clock was set back), so that it does not block new facts. */
function notAhead(time: Date | null, now: number): number {
  const ms = time?.getTime() ?? -1;
  return ms > now ? -1 : ms;
}

const at = (ms: number): Date => new Date(ms);
/** Since when the condition, or its recovery, holds; not later than the fact, and from it on after a gap. */
const heldSince = (rule: Rule, state: History, fact: Fact): number =>
  !fact.heldFor && isGap(rule, state, fact.at)
    ? fact.at
    : Math.min(state.holdingSince?.getTime() ?? fact.at, fact.at);

type Rule = Evaluated['rule'];

/** Until when what holds has to (ms). */
function heldUntil({ content }: Rule, { entityStateFlag, holdingSince }: History): number {
  const isFiring = entityStateFlag === RuleStatus.FIRING;
  const ms = isFiring ? durationMs(content.recovery.duration ?? 'PT0S') : holdMs(content.window);
  return (holdingSince?.getTime() ?? 0) + (ms ?? 0);
}

/** Whether the last fact is too old at a time (ms) to say that what held still does; only a window with `maxGap` says so. */
function isGap({ content: { window } }: Rule, { lastFactTime }: History, time: number): boolean {
  const most = window.maxGap === undefined ? null : durationMs(window.maxGap);
  return most !== null && lastFactTime !== null && time - lastFactTime.getTime() > most;
}
/** Events may arrive out of order, so keep the maximum. */
const latest = (state: History, { fact, now }: Evaluated): Date =>
  at(Math.max(fact.at, notAhead(state.lastTriggerTime, now)));

function untilFiring({ rule, fact, now }: Evaluated, state: History, match: boolean): Decision {
  const pending = state.entityStateFlag === RuleStatus.PENDING;
  if (!match) return pending ? only({ to: 'CLOSED', by: 'lapse', holdingSince: null }) : UNCHANGED;
  const since = pending ? heldSince(rule, state, fact) : fact.at;
  const held = fact.silentFor ? 0 : holdMs(rule.content.window);
  const begun: Change = {
    to: 'PENDING',
    by: 'match',
    holdingSince: at(since),
    firstTriggerTime: at(fact.at),
    lastTriggerTime: at(fact.at),
  };
  if (fact.at - since < held)
    return only(
      pending
        ? { holdingSince: at(since), lastTriggerTime: latest(state, { rule, fact, now }) }
        : begun,
    );
  const change: Change = {
    to: 'FIRING',
    by: 'fire',
    holdingSince: null,
    firstTriggerTime: (pending && state.firstTriggerTime) || at(fact.at),
    lastTriggerTime: at(fact.at),
    triggerCount: next(state),
  };
  return { begun: pending ? null : begun, change, alarm: 'fires' };
}

function whileFiring(given: Evaluated, state: History, match: boolean): Decision {
  const { rule, fact } = given;
  const { recovery, condition } = rule.content;
  const field = fieldIn(condition);
  const own =
    recovery.operator !== undefined && recovery.threshold !== undefined && field
      ? compares(
          fact.values,
          { field, type: fact.pointType },
          recovery.operator,
          recovery.threshold,
        )
      : null;
  // Events have no duration, so a non-match never means recovery.
  const plain = rule.target === 'EVENT' ? false : !match;
  const clear = recovery.enabled && (recovery.operator === undefined ? plain : own === true);
  // The scan finds the same silence every time; it is counted once.
  if (!clear && fact.silentFor) return UNCHANGED;
  if (!clear && !match) return latched(given, state);
  if (!clear)
    return only({
      holdingSince: null,
      lastTriggerTime: latest(state, given),
      triggerCount: next(state),
    });
  const since = heldSince(rule, state, fact);
  if (fact.at - since < (durationMs(recovery.duration ?? 'PT0S') ?? 0))
    return only({ holdingSince: at(since) });
  return {
    begun: null,
    change: { to: 'RECOVERED', by: 'recover', holdingSince: null, lastRecoverTime: at(fact.at) },
    alarm: 'recovers',
  };
}

/** A fact that does not match: an alarm without a recovery stays until a person confirms it. */
function latched({ rule }: Evaluated, state: History): Decision {
  const change = { holdingSince: null };
  return rule.content.recovery.enabled || rule.target === 'EVENT' || isNormal(state)
    ? only(change)
    : { begun: null, change, alarm: 'normal' };
}

/** The condition of an alarm that goes on is over (evaluate.ts). */
const isNormal = ({ entityStateExt: { normalSince } }: History): boolean =>
  typeof normalSince === 'number';

const next = (state: History): string => String(BigInt(state.triggerCount) + 1n);

/** Number of report ids kept, more than the bus redelivers. */
const MAX_SEEN = 64;

/** The ids of the newest reports that the state has processed. */
function seenReports({ entityStateExt: { seenReports: seen } }: History): string[] {
  return Array.isArray(seen) ? seen.filter((id) => typeof id === 'string') : [];
}

/** Reception time (ms) of the last value for a `nodata` rule; 0 = never. */
const lastSeenTime = ({ entityStateExt: { heardTime: time } }: History): number =>
  typeof time === 'number' ? time : 0;

/** The ext of a state with the fact recorded. */
export function remembered(
  { rule, fact, now }: Evaluated,
  state: History,
): Record<string, unknown> {
  const ext = state.entityStateExt;
  if (rule.target === 'EVENT' && fact.reportId !== undefined)
    return { ...ext, seenReports: [...seenReports(state), fact.reportId].slice(-MAX_SEEN) };
  if (rule.content.condition.operator === 'nodata' && !fact.silentFor)
    return { ...ext, heardTime: now };
  return ext;
}
