import { AlarmLevel } from '../kind/alarm.ts';
import type { BindContent, NotifyContent } from '../notify/policy-ext.ts';

type Level = keyof typeof AlarmLevel;
type Of = { policy: NotifyContent; bind: BindContent };

/** Limit: `count` FIRED notifications of one rule state per channel in `ms` milliseconds; 0 ms = no limit. */
export function rateOf({ policy, bind, notifyInterval }: Of & { notifyInterval: number }): {
  ms: number;
  count: number;
} {
  if (bind.rateLimitOverrideMs !== undefined) return { ms: bind.rateLimitOverrideMs, count: 1 };
  const limit = policy.rateLimit;
  return limit ? { ms: limit.intervalMs, count: limit.maxCount } : { ms: notifyInterval, count: 1 };
}

/** Whether a bind takes alarms of a level: of all, where it names none. */
export const takesLevel = ({ levels }: Pick<BindContent, 'levels'>, level: Level): boolean =>
  levels.length === 0 || levels.includes(level);

/** The level that an alarm rose to since its channel was sent it; empty: it did not, or the channel does not take it. */
export const riseOf = ({ bind }: Of, sent: Level | undefined, level: Level): string =>
  sent !== undefined && AlarmLevel[level] < AlarmLevel[sent] && takesLevel(bind, level)
    ? `Now ${level}, was ${sent}`
    : '';
