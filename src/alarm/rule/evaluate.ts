import type { Queries } from '../../db/connect.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import {
  atDeviceVersion,
  type DeviceVersion,
  requirePresent,
} from '../../manager/device/version.ts';
import { confirmIfAuto, isConfirmed } from '../alarm/auto-confirm.ts';
import { raise } from '../alarm/raise.ts';
import { type Fact, matchOf } from '../condition/fact.ts';
import { atPlace } from '../condition/limit.ts';
import { groupsOf, groupsWith, hasSameGroup } from '../condition/peers.ts';
import { remembers, seenOf } from '../condition/seen.ts';
import type { AlarmTarget } from '../kind/alarm.ts';
import type { NoticeEvent } from '../kind/delivery-status.ts';
import { RuleStatus } from '../kind/rule-status.ts';
import type { Attended } from '../ledger/attend.ts';
import { announceNotifications, combined, notifyFired, notifyRecovered } from '../ledger/notify.ts';
import { writingOf } from '../message/alarm-link.ts';
import { type Change, decide, type Decision, isIdle, remembered } from './decide.ts';
import { asFiring, atLevel, relevel } from './level.ts';
import { alarmEventOf, alarmOf, snapshot } from './rule-alarm.ts';
import { type Candidates, forgetRules, rulesFor } from './rule-cache.ts';
import { seeded } from './seeded.ts';
import { keepQuiet, quietly, type Series, seriesOf, statesOf } from './series.ts';
import { begin, currentRule, find, keepMemory, move, type State, type Step } from './state-row.ts';

/** States of one transaction. All other tenants wait for it on the embedded engine, which has one session. */
const MAX_STATES = { postgres: 500, embedded: 100 };

/** As `evaluateAt`, of facts that come from no memory. */
export const evaluate = (
  app: App,
  tenantId: string,
  target: AlarmTarget,
  facts: readonly Fact[],
): Promise<void> => atDeviceVersion(app, tenantId, (at) => evaluateAt(app, at, target, facts));

/**
 * Evaluates facts against the tenant's rules, by origin time, within `atDeviceVersion`. States, alarms and pending
 * notifications of some hundred states at most share one transaction; the notifications are published after its commit.
 */
export async function evaluateAt(
  app: App,
  at: DeviceVersion,
  target: AlarmTarget,
  facts: readonly Fact[],
): Promise<void> {
  const { tenantId } = at;
  const candidates = await rulesFor(app, at, target);
  const asked = target === 'POINT' ? groupsOf(candidates, facts) : [];
  const groups =
    asked.length === 0
      ? undefined
      : await inOneTrip(app.db, tenantId, (q) => groupsWith(q, tenantId, { asked, facts }));
  const series = seriesOf(candidates, facts, groups);
  const most = MAX_STATES[app.db.engine];
  for (let from = 0; from < series.length; from += most) {
    const some = series.slice(from, from + most);
    const pending = await inTenant(app.db, tenantId, async (q) => {
      const written = await advanceAll(app, q, at, some);
      app.crashAt('alarm');
      return written;
    });
    app.crashAt('alarm-committed');
    await announceNotifications(app, tenantId, pending);
  }
}

/**
 * Same, inside the caller's transaction; the caller publishes the answered notifications after the commit.
 */
export const evaluateInOrder = (
  app: App,
  q: Queries,
  given: { at: DeviceVersion; candidates: Candidates; facts: readonly Fact[] },
): Promise<Pending> => advanceAll(app, q, given.at, seriesOf(given.candidates, given.facts));

async function advanceAll(
  app: App,
  q: Queries,
  at: DeviceVersion,
  some: readonly Series[],
): Promise<Pending> {
  if (some.length === 0) return combined([]);
  const { tenantId } = at;
  const writing = writingOf(app);
  const given = { ...writing, q, tenantId, outdated: () => forgetRules(app, tenantId) };
  const pending: Pending[] = [];
  const quiet: State[] = [];
  const all = async (): Promise<void> => {
    const states = await statesOf(q, tenantId, some, writing.now);
    for (const series of some) {
      const { written, state } = await advance(given, series, states.get(series.fingerprint));
      pending.push(...written);
      if (state) quiet.push(state);
    }
    await keepQuiet(q, tenantId, quiet, writing.now);
  };
  // In the trip of the first statement.
  await Promise.all([requirePresent(q, at), all()]);
  return combined(pending);
}

/** Answers the state as well where its last facts have changed nothing but what it remembers, which is not written yet. */
async function advance(
  given: Omit<Step, 'rule' | 'fact'>,
  { rule, facts }: Series,
  before: State | undefined,
): Promise<{ written: Pending[]; state: State | null }> {
  const written: Pending[] = [];
  let known = before;
  let isWritten = true;
  for (const fact of facts) {
    const one = { ...given, rule, fact };
    known ??= await find(one);
    known &&= await seeded(one, known);
    const quiet = known && quietly(one, known);
    if (quiet) {
      isWritten &&= quiet === known;
      known = quiet;
    } else {
      written.push(await step(one, known));
      known = undefined;
      isWritten = true;
    }
  }
  return { written, state: isWritten ? null : (known ?? null) };
}

/** What is to be published after the commit. */
export type Pending = Attended;

/** A state that has seen nothing yet. */
const NEW = { memory: {}, lastFactTime: null, lastFactSeq: '0' };

const nothing = (): Pending => ({ written: [], suppressed: [] });

/**
 * Advances the state of one rule on one entity by one fact, and raises the alarm when it fires. The row is
 * locked and every update conditional, so that concurrent evaluations agree.
 */
export async function step(given: Step, known: State | undefined): Promise<Pending> {
  const { rule } = given;
  if (!remembers(given) && matchOf(given) === null) return nothing();
  const isMatch = seenOf(given, known ?? NEW).match === true;
  if (isIdle(rule, isMatch, known?.entityStateFlag)) return nothing();
  // The rule cache may be stale: re-read the rule before creating a state or firing.
  if (!known || (isMatch && known.entityStateFlag !== RuleStatus.FIRING)) {
    const current = await currentRule(given, known === undefined);
    if (!hasSameGroup(current, rule)) return nothing();
    if (current.since !== rule.since) {
      given.outdated();
      return step({ ...given, rule: atPlace(current, given.fact) }, known);
    }
  }
  const before = known ?? (await seeded(given, await begin(given)));
  const { fact, match, memory } = seenOf(given, before);
  const seen = { ...given, fact };
  const state = { ...before, memory: memory ?? before.memory };
  const decision = match === null ? null : decide(seen, state, match);
  if (decision)
    return carryOut(seen, { ...state, entityStateExt: remembered(seen, state) }, decision);
  if (memory) await keepMemory(given, state);
  return nothing();
}

/** Writes what was decided, with the alarm and the notifications that follow from it. */
async function carryOut(given: Step, state: State, decision: Decision): Promise<Pending> {
  const { begun, change, alarm } = decision;
  const held = { ...state, entityStateExt: extOf(given, state, decision) };
  if (begun) await move(given, held, unlinked(begun));
  if (alarm === 'fires') return fire(given, held, change);
  await move(given, held, unlinked(change));
  if (state.entityStateFlag === RuleStatus.FIRING && change.triggerCount !== undefined)
    return relevel(given, held);
  if (alarm === 'normal') return endIfConfirmed(given, held);
  return alarm === 'recovers' ? recover(given, held) : nothing();
}

/**
 * The ext of a state: the values of what holds, for the scan that ends the hold when no other fact comes
 * (watch/held.ts); since when (ms) an alarm without a recovery is normal.
 */
function extOf({ fact }: Step, { entityStateExt }: State, { change, alarm }: Decision) {
  const { holding, normalSince, ...ext } = entityStateExt;
  const { holdingSince, triggerCount, by } = change;
  const { values, driverId, pointId, pointType } = fact;
  const held =
    holdingSince === undefined ? holding : holdingSince && { values, driverId, pointId, pointType };
  const isAgain = triggerCount !== undefined || by === 'match';
  const since = alarm === 'normal' ? fact.at : isAgain ? undefined : normalSince;
  return {
    ...ext,
    ...(held ? { holding: held } : {}),
    ...(since === undefined ? {} : { normalSince: since }),
  };
}

/** A new episode is not linked to the alarm of the previous one. */
const unlinked = (change: Change) => (change.by === 'match' ? { ...change, alarmId: '0' } : change);

async function fire(lowest: Step, state: State, change: Change): Promise<Pending> {
  const given = { ...lowest, rule: atLevel(lowest.rule, lowest.fact) };
  const { q, fact, rule, now } = given;
  const { firstTriggerTime } = change;
  const at = new Date(fact.at);
  const episode = { firstTriggerTime: firstTriggerTime ?? at, lastTriggerTime: at };
  const alarmId = await raise(q, { ...alarmOf(given, state.id), episode });
  const message = alarmEventOf(given, { ...state, alarmId }, 'FIRED');
  const { notifyId, messageId } = rule;
  const sent = await notifyFired(q, message, [{ notifyId, messageId }], given);
  await move(given, state, {
    ...change,
    alarmId,
    entityStateExt: JSON.stringify({
      ...state.entityStateExt,
      ...snapshot(given),
      notified: notifiedOf(given, 'FIRED', sent),
    }),
    ...(sent.written.length > 0 ? { lastNotifyTime: new Date(now) } : {}),
  });
  return sent;
}

async function recover(given: Step, state: State): Promise<Pending> {
  const { q, tenantId, rule, now } = given;
  const { alarmId } = state;
  await confirmIfAuto(q, { tenantId, notifyId: rule.notifyId, alarmId, now });
  if (await isConfirmed(q, tenantId, state.alarmId))
    await move(given, state, { to: 'CLOSED', by: 'close' });
  return reportOver(given, state);
}

/** An alarm that only a person ends is over when it is normal again and was confirmed before. */
async function endIfConfirmed(given: Step, state: State): Promise<Pending> {
  if (!(await isConfirmed(given.q, given.tenantId, state.alarmId))) return nothing();
  await move(given, state, { to: 'CLOSED', by: 'close', lastRecoverTime: new Date(given.fact.at) });
  return reportOver(given, state);
}

async function reportOver(given: Step, state: State): Promise<Pending> {
  const ended = { ...given, rule: asFiring(given.rule, state) };
  const sent = await notifyRecovered(given.q, alarmEventOf(ended, state, 'RECOVERED'), given);
  await move(given, state, {
    entityStateExt: JSON.stringify({
      ...state.entityStateExt,
      notified: notifiedOf(given, 'RECOVERED', sent),
    }),
    ...(sent.written.length > 0 ? { lastNotifyTime: new Date(given.now) } : {}),
  });
  return sent;
}

/** The sent and suppressed notifications, for the state: a missing message can be explained. */
const notifiedOf = (
  { now }: Step,
  event: NoticeEvent,
  { written, suppressed }: Pending,
): Record<string, unknown> => ({
  event,
  time: new Date(now).toISOString(),
  told: written.length,
  suppressed,
});
