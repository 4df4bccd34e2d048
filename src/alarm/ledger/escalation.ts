import type { NotifyContent, Step } from '../notify/policy-ext.ts';

/** The step of a policy that calls a channel in; its number counts from 1. */
export type Call = {
  number: number;
  /** After the alarm began; null: only when the channels before it could not be reached. */
  afterMs: number | null;
  onFailure: boolean;
};

/** A channel of a policy, and whether its receiver could not be reached about the alarm. */
export type Reached = { channelId: string; isUnreached: boolean };

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
  const { afterMs = null, onFailure } = step;
  return { number: escalation.indexOf(step) + 1, afterMs, onFailure };
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

/** Whether every channel that is called before this one could not be reached. */
export function failedBefore(of: Of, level: Level, channels: readonly Reached[]): boolean {
  const own = numberOf(of, level);
  return channels.every(
    ({ channelId, isUnreached }) =>
      isUnreached || numberOf({ policy: of.policy, channelId }, level) >= own,
  );
}
