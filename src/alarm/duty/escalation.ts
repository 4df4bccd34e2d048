import { lengthWords } from '../kind/duration.ts';
import { isOnCall, type OnCall } from '../notify/hours.ts';
import type { BindContent, NotifyContent, Step } from '../notify/policy-ext.ts';

/** The step of a policy that calls a channel in; its number counts from 1. */
export type Call = {
  number: number;
  /** After the alarm began; null: only when the channels before it could not be reached. */
  afterMs: number | null;
  onFailure: boolean;
  onCall: OnCall | undefined;
};

type Of = { policy: NotifyContent; channelId: string };
type Level = Step['levels'][number];

const isOf = (level: Level) => (step: Step) =>
  step.levels.length === 0 || step.levels.includes(level);

/** The first step that names a channel; null: none does, so it is called at once; 'never': only for other levels. */
export function callOf(
  { policy: { escalation = [] }, channelId }: Of,
  level: Level,
): Call | 'never' | null {
  const naming = escalation.filter(({ channels }) => channels.includes(channelId));
  const step = naming.find(isOf(level));
  if (!step) return naming.length > 0 ? 'never' : null;
  const { afterMs = null, onFailure, onCall } = step;
  return { number: escalation.indexOf(step) + 1, afterMs, onFailure, onCall };
}

const numberOf = (of: Of, level: Level): number => {
  const call = callOf(of, level);
  return call === null ? 0 : call === 'never' ? Infinity : call.number;
};

/** Of channels those that are called before all others: in no step, else in the first one. */
export function firstCalled(
  policy: NotifyContent,
  level: Level,
  channels: readonly { id: string }[],
): string[] {
  const numbers = new Map(
    channels.map(({ id }) => [id, numberOf({ policy, channelId: id }, level)]),
  );
  const first = Math.min(...numbers.values());
  return channels.flatMap(({ id }) => (numbers.get(id) === first ? [id] : []));
}

type At = { level: Level; now: number };
type Bound = { id: string; bind: BindContent };
/** `knows` of the alarm; `isUnreached`: five tries to tell its receiver of it failed. */
export type Reached = Bound & { knows: boolean; isUnreached: boolean };

/** The rota of a channel, of its step or else of its bind; null: it is always on call. */
export function rotaOf(of: Of & { bind: BindContent }, level: Level): OnCall | null {
  const call = callOf(of, level);
  const ofStep = call === null || call === 'never' ? undefined : call.onCall;
  return ofStep ?? of.bind.onCall ?? null;
}

const isAway =
  (policy: NotifyContent, { level, now }: At) =>
  ({ id, bind }: Bound): boolean => {
    const rota = rotaOf({ policy, channelId: id, bind }, level);
    return rota !== null && !isOnCall(rota, now);
  };

/** While no channel of a policy is on call, those that are called first get its alarms; empty while one is. */
export function standIns(policy: NotifyContent, at: At, channels: readonly Bound[]): string[] {
  const { level } = at;
  const called = channels.filter(({ id }) => callOf({ policy, channelId: id }, level) !== 'never');
  return called.every(isAway(policy, at)) ? firstCalled(policy, level, called) : [];
}

/** What a channel of an alarm is among all channels of its policy that are to get the alarm. */
export function amongOthers(
  of: Of,
  at: At,
  channels: readonly Reached[],
): { failedBefore: boolean; isStandIn: boolean } {
  const { policy } = of;
  const own = numberOf(of, at.level);
  const before = channels.filter(({ id }) => numberOf({ policy, channelId: id }, at.level) < own);
  const away = isAway(policy, at);
  return {
    failedBefore: before.every(
      (channel) => channel.isUnreached || (!channel.knows && away(channel)),
    ),
    isStandIn: standIns(policy, at, channels).includes(of.channelId),
  };
}

/** Times in ms. */
type Called = { now: number; stepsFrom: number; level: Level; isStandIn: boolean };

/** What the message says of why the channel gets it; empty: it always does. */
export function noteOf(terms: Of, { now, stepsFrom, level, isStandIn }: Called): string {
  const call = callOf(terms, level);
  const alone = isStandIn ? ['No channel is on call'] : [];
  if (call === null || call === 'never') return alone.join();
  const { number, afterMs } = call;
  const why =
    afterMs !== null && stepsFrom + afterMs <= now
      ? `not confirmed for ${lengthWords(now - stepsFrom)}`
      : 'the channels before could not be reached';
  return [`Escalation step ${number}: ${why}`, ...alone].join('. ');
}
