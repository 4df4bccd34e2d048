import type { Selectable } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { RuleStateTable } from '../../db/schema/alarm.ts';
import { AlarmTarget, raise } from '../entity-alarm.ts';
import { enqueue, type Written } from '../notice/enqueue.ts';
import type { NoticeEvent } from '../notice/notice-event.ts';
import { confirmIfAuto, isConfirmed } from './auto-confirm.ts';
import { compares, matches, type Values } from './condition.ts';
import { durationMs } from './duration.ts';
import { alarmOf, happeningOf, snapshot } from './rule-alarm.ts';
import type { ActiveRule } from './rule-cache.ts';
import { allowing, RuleStatus } from './rule-status.ts';

/** What is known of an entity at one time, for rules to look at. */
export type Fact = {
  entityId: string;
  deviceId: string;
  driverId: string;
  pointId: string;
  values: Values;
  /** Origin time (ms): an older fact than the newest one seen changes nothing. */
  at: number;
  /** The `nodata` rule that the scan for silence speaks for: it knows what no fact can say. */
  silentFor?: string;
};

export type State = Selectable<RuleStateTable>;
export type Step = { q: Queries; tenantId: string; rule: ActiveRule; fact: Fact; now: number };

/** Notifications that were written and are to be announced after the commit. */
export type Pending = Written[];

/**
 * Moves the state of one rule on one entity by one fact, raising the alarm when it fires. The row is
 * locked and every move conditional, so that concurrent evaluations agree.
 */
export async function step(given: Step): Promise<Pending> {
  const { rule, fact } = given;
  const { condition } = rule.content;
  const match = fact.silentFor ? true : matches(condition, fact.values);
  if (match === null) return [];
  const state = await lock(given);
  if (!state) return [];
  // Origin times decide, so that a buffered value neither fires nor clears what came after it.
  if (state.lastFactTime && fact.at <= state.lastFactTime.getTime() && !fact.silentFor) return [];
  if (state.entityStateFlag === RuleStatus.FIRING) return whileFiring(given, state, match);
  return untilFiring(given, state, match);
}

const at = (ms: number): Date => new Date(ms);

async function untilFiring(given: Step, state: State, match: boolean): Promise<Pending> {
  const { rule, fact } = given;
  const pending = state.entityStateFlag === RuleStatus.PENDING;
  if (!match) {
    await move(given, state, pending ? { to: 'CLOSED', by: 'lapse', holdingSince: null } : {});
    return [];
  }
  const since = pending && state.holdingSince ? state.holdingSince.getTime() : fact.at;
  const held = fact.silentFor ? 0 : (durationMs(rule.content.window.duration ?? 'PT0S') ?? 0);
  if (!pending)
    await move(given, state, {
      to: 'PENDING',
      by: 'match',
      holdingSince: at(since),
      firstTriggerTime: at(fact.at),
      lastTriggerTime: at(fact.at),
    });
  if (fact.at - since < held) {
    if (pending) await move(given, state, { lastTriggerTime: at(fact.at) });
    return [];
  }
  return fire(given, state);
}

async function fire(given: Step, state: State): Promise<Pending> {
  const { q, fact, now } = given;
  const alarmId = await raise(q, alarmOf(given, state.id));
  const told = await tell(given, { ...state, alarmId }, { event: 'FIRED' });
  await move(given, state, {
    to: 'FIRING',
    by: 'fire',
    holdingSince: null,
    lastTriggerTime: at(fact.at),
    triggerCount: next(state),
    alarmId,
    entityStateExt: JSON.stringify({ ...snapshot(given), notified: told.notified }),
    ...(told.written.length > 0 ? { lastNotifyTime: at(now) } : {}),
  });
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
  const since = state.holdingSince?.getTime() ?? fact.at;
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
  await confirmIfAuto(given, state.alarmId);
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
  const again = { lastTriggerTime: at(fact.at), triggerCount: next(state) };
  await move(given, state, { holdingSince: null, ...again });
  const told = await tell(given, state, { event: 'FIRED', reminder: true });
  if (told.written.length > 0) await remember(given, state, told);
  return told.written;
}

async function stay(given: Step, state: State): Promise<Pending> {
  await move(given, state, given.fact.silentFor ? {} : { holdingSince: null });
  return [];
}

type Told = { written: Written[]; notified: Record<string, unknown> };

/** What the policy made of it stands in the state, so that a message that did not come can be explained. */
async function tell(
  given: Step,
  state: State,
  occasion: { event: NoticeEvent; reminder?: boolean },
): Promise<Told> {
  const { q, rule, now } = given;
  const { notifyId, messageId } = rule;
  const happening = happeningOf(given, state, occasion.event);
  const { written, suppressed } = await enqueue(q, happening, {
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

const remember = (given: Step, state: State, { written, notified }: Told): Promise<void> =>
  move(given, state, {
    entityStateExt: JSON.stringify({ ...state.entityStateExt, notified }),
    ...(written.length > 0 ? { lastNotifyTime: at(given.now) } : {}),
  });

type Move = Partial<
  Pick<
    State,
    'holdingSince' | 'firstTriggerTime' | 'lastTriggerTime' | 'lastRecoverTime' | 'lastNotifyTime'
  >
> & {
  triggerCount?: string;
  alarmId?: string;
  entityStateExt?: string;
  to?: keyof typeof RuleStatus;
  by?: Parameters<typeof allowing>[0];
};

async function move({ q, tenantId, fact, now }: Step, state: State, change: Move): Promise<void> {
  const { to, by, ...columns } = change;
  let query = q
    .updateTable('svc_rule_state')
    .set({
      ...columns,
      ...(to ? { entityStateFlag: RuleStatus[to] } : {}),
      ...(fact.silentFor ? {} : { lastFactTime: at(fact.at) }),
      operateTime: at(now),
    })
    .where('tenantId', '=', tenantId)
    .where('id', '=', state.id);
  if (by) query = query.where('entityStateFlag', 'in', allowing(by));
  await query.execute();
}

/** Two devices of one profile share its points, so the device is part of the fingerprint. */
const fingerprintOf = ({ rule, fact }: Step): string =>
  `${rule.id}:${rule.target}:${fact.entityId}:${fact.deviceId}`;

/** Null for the first fact of a rule that is gone: the memory of rules may be seconds old. */
async function lock(given: Step): Promise<State | null> {
  const { q, tenantId, rule, fact, now } = given;
  const fingerprint = fingerprintOf(given);
  const find = () =>
    q
      .selectFrom('svc_rule_state')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .where('fingerprint', '=', fingerprint)
      .forUpdate();
  const known = await find().executeTakeFirst();
  if (known) return known;
  const stands = await q
    .selectFrom('svc_rule')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('id', '=', rule.id)
    .forShare()
    .executeTakeFirst();
  if (!stands) return null;
  await q
    .insertInto('svc_rule_state')
    .values({
      tenantId,
      ruleId: rule.id,
      alarmTargetTypeFlag: AlarmTarget[rule.target],
      entityId: fact.entityId,
      deviceId: fact.deviceId,
      fingerprint,
      entityStateFlag: RuleStatus.CLOSED,
      createTime: at(now),
      operateTime: at(now),
    })
    .onConflict((conflict) => conflict.columns(['tenantId', 'fingerprint']).doNothing())
    .execute();
  return find().executeTakeFirstOrThrow();
}

const next = (state: State): string => String(BigInt(state.triggerCount) + 1n);
