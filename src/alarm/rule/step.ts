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

/** What is known of an entity at one time, for rules to look at. */
export type Fact = {
  entityId: string;
  deviceId: string;
  driverId: string;
  pointId: string;
  values: Values;
  /** Origin time (ms), no later than its reception: an older fact than the newest one seen changes nothing. */
  at: number;
  /** Tells facts of the same millisecond apart; a fact without it is the only one. */
  seq?: bigint;
  /** The `nodata` rule that the scan for silence speaks for: it knows what no fact can say. */
  silentFor?: string;
  /** Of an event: which one it is, however often it is handed out. */
  reportId?: string;
};

export type State = Selectable<RuleStateTable>;
export type Step = {
  q: Queries;
  tenantId: string;
  rule: ActiveRule;
  fact: Fact;
  now: number;
  /** Called when the rule was changed after it was cached. */
  outdated(): void;
};

/** Notifications that were written and are to be announced after the commit. */
export type Pending = Written[];

/**
 * Moves the state of one rule on one entity by one fact, raising the alarm when it fires. The row is
 * locked and every move conditional, so that concurrent evaluations agree.
 */
export async function step(given: Step): Promise<Pending> {
  const { rule } = given;
  const match = matchOf(given);
  if (match === null) return [];
  const known = await find(given);
  if (rule.target === 'EVENT' && !match && known?.entityStateFlag !== RuleStatus.FIRING) return [];
  // The memory of rules may be seconds old: it neither begins a state nor raises an alarm.
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

/** Null when the fact says nothing to the rule. */
function matchOf({ rule, fact }: Step): boolean | null {
  const { condition, recovery } = rule.content;
  if (fact.silentFor) return condition.operator === 'nodata' ? true : null;
  const match = matches(condition, fact.values);
  // Another event of the device is no sign that the one that is meant has passed.
  return rule.target === 'EVENT' && !match && !recovery.operator ? null : match;
}

/** Whether the state knows better already, or knows the fact. */
function isPast({ rule, fact, now }: Step, state: State, match: boolean): boolean {
  if (fact.silentFor) {
    const silentMs = durationMs(rule.content.window.duration ?? 'PT0S') ?? 0;
    return lastSeenTime(state) > now - silentMs;
  }
  // Events happen, each of them, in whatever order they come; only what ends one must be newer.
  if (rule.target === 'EVENT')
    return match
      ? fact.reportId !== undefined && seenReports(state).includes(fact.reportId)
      : fact.at < notAhead(state.lastTriggerTime, now);
  // Origin times decide, so that a buffered value neither fires nor clears what came after it.
  const behind = notAhead(state.lastFactTime, now) - fact.at;
  return behind > 0 || (behind === 0 && (fact.seq ?? 0n) <= BigInt(state.lastFactSeq));
}

/** A stored time that lies ahead (a clock was set back) holds up no fact. */
function notAhead(time: Date | null, now: number): number {
  const ms = time?.getTime() ?? -1;
  return ms > now ? -1 : ms;
}

const at = (ms: number): Date => new Date(ms);
/** Since when the condition, or its recovery, holds: no later than now. */
const heldSince = ({ holdingSince }: State, fact: Fact): number =>
  Math.min(holdingSince?.getTime() ?? fact.at, fact.at);
/** An event may be older than the last. */
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
      // The episode before keeps its alarm to itself.
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
  const told = await tell(given, { ...state, alarmId }, { event: 'FIRED' });
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
      notified: told.notified,
    }),
    ...(told.written.length > 0 ? { lastNotifyTime: at(now) } : {}),
  });
  if (told.written.length > 0) await keepEpisode(q, tenantId, alarmId, { lastNotifyTime: at(now) });
  return told.written;
}

async function whileFiring(given: Step, state: State, match: boolean): Promise<Pending> {
  const { q, tenantId, rule, fact } = given;
  const { recovery, condition } = rule.content;
  const own =
    recovery.operator !== undefined && recovery.threshold !== undefined && condition.field
      ? compares(fact.values, condition.field, recovery.operator, recovery.threshold)
      : null;
  // An event is over when it is said: no other event means that it has passed.
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
  const told = await tell(given, state, { event: 'RECOVERED' });
  await remember(given, state, told);
  return told.written;
}

/** It fires on: counted, and told again only where the policy says so. */
async function goOn(given: Step, state: State): Promise<Pending> {
  const { fact } = given;
  // Silence goes on between two scans; it is counted once.
  if (fact.silentFor) return stay(given, state);
  const again = { lastTriggerTime: latest(state, given), triggerCount: next(state) };
  await move(given, state, { holdingSince: null, ...again });
  const told = await tell(given, state, { event: 'FIRED', reminder: true });
  if (told.written.length > 0) await remember(given, state, told);
  return told.written;
}

async function stay(given: Step, state: State): Promise<Pending> {
  await move(given, state, given.fact.silentFor ? {} : { holdingSince: null });
  return [];
}

type Notified = { written: Written[]; notified: Record<string, unknown> };

/** What the policy made of it stands in the state, so that a message that did not come can be explained. */
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
