import type { Selectable } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { RuleStateTable } from '../../db/schema/alarm.ts';
import { raise } from '../alarm/alarm.ts';
import { confirmIfAuto, isConfirmed } from '../alarm/auto-confirm.ts';
import { keepEpisode } from '../alarm/episode.ts';
import { enqueue, type Written } from '../deliver/compose/enqueue.ts';
import type { NoticeEvent } from '../deliver/compose/notice-event.ts';
import { compares, matches, type Values } from './condition.ts';
import { durationMs } from './duration.ts';
import { alarmOf, alarmEventOf, snapshot } from './rule-alarm.ts';
import type { ActiveRule } from './rule-cache.ts';
import { RuleStatus } from './state/rule-status.ts';
import { lastSeenTime, remembered, seenReports } from './state/seen-reports.ts';
import { begin, find, move, currentRule } from './state/state-row.ts';

/** The values of an entity at one time, input of rules. */
export type Fact = {
  entityId: string;
  deviceId: string;
  driverId: string;
  pointId: string;
  values: Values;
  /** Origin time (ms), capped at reception; a fact older than the newest processed one is ignored. */
  at: number;
  /** Order of facts with the same millisecond; absent = 0. */
  seq?: bigint;
  /** Set by the scan for silence: the `nodata` rule that this fact fires. */
  silentFor?: string;
  /** Id of the reported event, equal at every redelivery. */
  reportId?: string;
};

export type State = Selectable<RuleStateTable>;
export type Step = {
  q: Queries;
  tenantId: string;
  rule: ActiveRule;
  fact: Fact;
  now: number;
  /** Called when the cached rule is outdated. */
  outdated(): void;
};

/** Written notifications, to publish after the commit. */
export type Pending = Written[];

/**
 * Advances the state of one rule on one entity by one fact, and raises the alarm when it fires. The row is
 * locked and every update conditional, so that concurrent evaluations agree.
 */
export async function step(given: Step): Promise<Pending> {
  const { rule } = given;
  const match = matchOf(given);
  if (match === null) return [];
  const known = await find(given);
  if (rule.target === 'EVENT' && !match && known?.entityStateFlag !== RuleStatus.FIRING) return [];
  // The rule cache may be stale: re-read the rule before creating a state or firing.
  if (!known || (match && known.entityStateFlag !== RuleStatus.FIRING)) {
    const current = await currentRule(given, known === undefined);
    if (!current) return [];
    if (current.since !== rule.since) {
      given.outdated();
      return step({ ...given, rule: current });
    }
  }
  const found = known ?? (await begin(given));
  if (isPast(given, found, match)) return [];
  const state = { ...found, entityStateExt: remembered(given, found) };
  if (state.entityStateFlag === RuleStatus.FIRING) return whileFiring(given, state, match);
  return untilFiring(given, state, match);
}

/** Null if the fact does not decide the condition. */
function matchOf({ rule, fact }: Step): boolean | null {
  const { condition, recovery } = rule.content;
  if (fact.silentFor) return condition.operator === 'nodata' ? true : null;
  const match = matches(condition, fact.values);
  // Events have no duration, so another event of the device is no recovery.
  return rule.target === 'EVENT' && !match && !recovery.operator ? null : match;
}

/** Whether the state has processed this fact, or a newer one. */
function isPast({ rule, fact, now }: Step, state: State, match: boolean): boolean {
  if (fact.silentFor) {
    const silentMs = durationMs(rule.content.window.duration ?? 'PT0S') ?? 0;
    return lastSeenTime(state) > now - silentMs;
  }
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
/** Since when the condition, or its recovery, holds; not later than the fact. */
const heldSince = ({ holdingSince }: State, fact: Fact): number =>
  Math.min(holdingSince?.getTime() ?? fact.at, fact.at);
/** Events may arrive out of order, so keep the maximum. */
const latest = (state: State, { fact, now }: Step): Date =>
  at(Math.max(fact.at, notAhead(state.lastTriggerTime, now)));

async function untilFiring(given: Step, state: State, match: boolean): Promise<Pending> {
  const { rule, fact } = given;
  const pending = state.entityStateFlag === RuleStatus.PENDING;
  if (!match) {
    await move(given, state, pending ? { to: 'CLOSED', by: 'lapse', holdingSince: null } : {});
    return [];
  }
  const since = pending ? heldSince(state, fact) : fact.at;
  const held = fact.silentFor ? 0 : (durationMs(rule.content.window.duration ?? 'PT0S') ?? 0);
  if (!pending)
    await move(given, state, {
      to: 'PENDING',
      by: 'match',
      holdingSince: at(since),
      firstTriggerTime: at(fact.at),
      lastTriggerTime: at(fact.at),
      // Unlink the alarm of the previous episode.
      alarmId: '0',
    });
  if (fact.at - since < held) {
    if (pending) await move(given, state, { lastTriggerTime: latest(state, given) });
    return [];
  }
  const first = pending && state.firstTriggerTime ? state.firstTriggerTime : at(fact.at);
  return fire(given, state, first);
}

async function fire(given: Step, state: State, firstTriggerTime: Date): Promise<Pending> {
  const { q, tenantId, fact, now } = given;
  const episode = { firstTriggerTime, lastTriggerTime: at(fact.at) };
  const alarmId = await raise(q, { ...alarmOf(given, state.id), episode });
  const { written, notified } = await tell(given, { ...state, alarmId }, { event: 'FIRED' });
  await move(given, state, {
    to: 'FIRING',
    by: 'fire',
    holdingSince: null,
    lastTriggerTime: at(fact.at),
    triggerCount: next(state),
    alarmId,
    entityStateExt: JSON.stringify({
      ...state.entityStateExt,
      ...snapshot(given),
      notified,
    }),
    ...(written.length > 0 ? { lastNotifyTime: at(now) } : {}),
  });
  if (written.length > 0) await keepEpisode(q, tenantId, alarmId, { lastNotifyTime: at(now) });
  return written;
}

async function whileFiring(given: Step, state: State, match: boolean): Promise<Pending> {
  const { q, tenantId, rule, fact } = given;
  const { recovery, condition } = rule.content;
  const own =
    recovery.operator !== undefined && recovery.threshold !== undefined && condition.field
      ? compares(fact.values, condition.field, recovery.operator, recovery.threshold)
      : null;
  // Events have no duration, so a non-match never means recovery.
  const plain = rule.target === 'EVENT' ? false : !match;
  const clear = recovery.enabled && (recovery.operator === undefined ? plain : own === true);
  if (!clear) return match ? goOn(given, state) : stay(given, state);
  const since = heldSince(state, fact);
  if (fact.at - since < (durationMs(recovery.duration ?? 'PT0S') ?? 0)) {
    await move(given, state, { holdingSince: at(since) });
    return [];
  }
  await move(given, state, {
    to: 'RECOVERED',
    by: 'recover',
    holdingSince: null,
    lastRecoverTime: at(fact.at),
  });
  await confirmIfAuto(q, {
    tenantId,
    notifyId: rule.notifyId,
    alarmId: state.alarmId,
    now: given.now,
  });
  if (await isConfirmed(q, tenantId, state.alarmId))
    await move(given, state, { to: 'CLOSED', by: 'close' });
  const sent = await tell(given, state, { event: 'RECOVERED' });
  await remember(given, state, sent);
  return sent.written;
}

/** The alarm keeps firing: counts the fact, and sends a reminder if the policy allows one. */
async function goOn(given: Step, state: State): Promise<Pending> {
  const { fact } = given;
  // The scan finds the same silence every time; it is counted once.
  if (fact.silentFor) return stay(given, state);
  const again = { lastTriggerTime: latest(state, given), triggerCount: next(state) };
  await move(given, state, { holdingSince: null, ...again });
  const sent = await tell(given, state, { event: 'FIRED', reminder: true });
  if (sent.written.length > 0) await remember(given, state, sent);
  return sent.written;
}

async function stay(given: Step, state: State): Promise<Pending> {
  await move(given, state, given.fact.silentFor ? {} : { holdingSince: null });
  return [];
}

type Notified = { written: Written[]; notified: Record<string, unknown> };

/** Records the sent and suppressed notifications in the state, so that a missing message can be explained. */
async function tell(
  given: Step,
  state: State,
  occasion: { event: NoticeEvent; reminder?: boolean },
): Promise<Notified> {
  const { q, rule, now } = given;
  const { notifyId, messageId } = rule;
  const alarmEvent = alarmEventOf(given, state, occasion.event);
  const { written, suppressed } = await enqueue(q, alarmEvent, {
    ...occasion,
    notifyId,
    messageId,
    now,
  });
  const { event } = occasion;
  return {
    written,
    notified: { event, time: at(now).toISOString(), told: written.length, suppressed },
  };
}

const remember = (given: Step, state: State, { written, notified }: Notified): Promise<void> =>
  move(given, state, {
    entityStateExt: JSON.stringify({ ...state.entityStateExt, notified }),
    ...(written.length > 0 ? { lastNotifyTime: at(given.now) } : {}),
  });

const next = (state: State): string => String(BigInt(state.triggerCount) + 1n);
