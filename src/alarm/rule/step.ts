import type { Selectable } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { RuleStateTable } from '../../db/schema/alarm.ts';
import { AlarmLevel, AlarmTarget, ConfirmFlag, type NewAlarm, raise } from '../entity-alarm.ts';
import { enqueueNotifications } from '../notice/enqueue.ts';
import { compares, matches, type Values } from './condition.ts';
import { durationMs } from './duration.ts';
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

type State = Selectable<RuleStateTable>;
type Step = { q: Queries; tenantId: string; rule: ActiveRule; fact: Fact; now: number };

/** Ids of notification rows that were written and are to be sent after the commit. */
export type Pending = string[];

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

/** AutoConfirmFlagEnum AUTO (reference/data-model.md 3.2). */
const AUTO_CONFIRM = 0;

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
  const { q, tenantId, rule, fact, now } = given;
  const alarmId = await raise(q, alarmOf(given, state.id));
  const notifications = await enqueueNotifications(q, {
    tenantId,
    alarmId,
    ruleId: rule.id,
    notifyId: rule.notifyId,
    messageId: rule.messageId,
    level: AlarmLevel[rule.content.severity],
    event: 'fired',
    lastNotifyTime: state.lastNotifyTime,
    now,
  });
  await move(given, state, {
    to: 'FIRING',
    by: 'fire',
    holdingSince: null,
    lastTriggerTime: at(fact.at),
    triggerCount: next(state),
    alarmId,
    entityStateExt: JSON.stringify(snapshot(given)),
    ...(notifications.length > 0 ? { lastNotifyTime: at(now) } : {}),
  });
  return notifications;
}

async function whileFiring(given: Step, state: State, match: boolean): Promise<Pending> {
  const { q, tenantId, rule, fact, now } = given;
  const { recovery, condition } = rule.content;
  const own =
    recovery.operator !== undefined && recovery.threshold !== undefined && condition.field
      ? compares(fact.values, condition.field, recovery.operator, recovery.threshold)
      : null;
  // An event is over when it is said: no other event means that it has passed.
  const plain = rule.target === 'EVENT' ? false : !match;
  const clear = recovery.enabled && (recovery.operator === undefined ? plain : own === true);
  if (!clear) {
    const again = match ? { lastTriggerTime: at(fact.at), triggerCount: next(state) } : {};
    // Silence goes on between two scans; it is counted once.
    await move(given, state, fact.silentFor ? {} : { holdingSince: null, ...again });
    return [];
  }
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
  await confirmIfAuto(given, state);
  if (await isConfirmed(q, tenantId, state.alarmId))
    await move(given, state, { to: 'CLOSED', by: 'close' });
  return enqueueNotifications(q, {
    tenantId,
    alarmId: state.alarmId,
    ruleId: rule.id,
    notifyId: rule.notifyId,
    messageId: rule.messageId,
    level: AlarmLevel[rule.content.severity],
    event: 'recovered',
    lastNotifyTime: state.lastNotifyTime,
    now,
  });
}

/** A notification policy may say that nobody has to confirm what is over. */
async function confirmIfAuto({ q, tenantId, rule, now }: Step, state: State): Promise<void> {
  if (rule.notifyId === '0') return;
  const policy = await q
    .selectFrom('svc_notify')
    .select('autoConfirmFlag')
    .where('tenantId', '=', tenantId)
    .where('id', '=', rule.notifyId)
    .executeTakeFirst();
  if (policy?.autoConfirmFlag !== AUTO_CONFIRM) return;
  await q
    .updateTable('svc_entity_alarm')
    .set({ confirmFlag: ConfirmFlag.CONFIRMED, confirmTime: at(now), operateTime: at(now) })
    .where('tenantId', '=', tenantId)
    .where('id', '=', state.alarmId)
    .where('confirmFlag', '=', ConfirmFlag.UNCONFIRMED)
    .execute();
}

async function isConfirmed(q: Queries, tenantId: string, alarmId: string): Promise<boolean> {
  const alarm = await q
    .selectFrom('svc_entity_alarm')
    .select('confirmFlag')
    .where('tenantId', '=', tenantId)
    .where('id', '=', alarmId)
    .executeTakeFirst();
  return alarm?.confirmFlag === ConfirmFlag.CONFIRMED;
}

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

const snapshot = ({ rule, fact }: Step) => ({
  ruleId: rule.id,
  ruleCode: rule.code,
  ruleName: rule.name,
  severity: rule.content.severity,
  eventType: rule.content.eventType ?? '',
  labels: rule.content.labels ?? [],
  condition: rule.content.condition,
  values: fact.values,
});

function alarmOf(given: Step, ruleStateId: string): NewAlarm {
  const { tenantId, rule, fact, now } = given;
  return {
    tenantId,
    target: rule.target,
    entityId: fact.entityId,
    driverId: fact.driverId,
    deviceId: fact.deviceId,
    pointId: fact.pointId,
    ruleId: rule.id,
    ruleStateId,
    type: 'RULE',
    source: rule.target === 'EVENT' ? 'EVENT_REPORT' : 'RULE',
    level: AlarmLevel[rule.content.severity],
    message: `${rule.name}: ${explain(rule, fact)}`,
    ext: snapshot(given),
    now,
  };
}

function explain({ content: { condition, window } }: ActiveRule, { values }: Fact): string {
  if (condition.operator === 'nodata') return `no value for ${window.duration ?? ''}`;
  const value = String(values[condition.field] ?? 'nothing').slice(0, 256);
  const limit =
    'threshold' in condition
      ? condition.threshold
      : 'low' in condition
        ? `${condition.low} and ${condition.high}`
        : 'expected' in condition
          ? condition.expected
          : '';
  return `${condition.field} = ${value} (${condition.operator} ${limit})`;
}
