import { isWithin } from '../../kernel/time-window.ts';
import type { NoticeEvent } from '../kind/delivery-status.ts';
import type { BindContent, NotifyContent } from '../notify/policy-ext.ts';

/** The settings of a policy and of its bind to a channel, and `notifyInterval` (ms). */
export type Terms = { policy: NotifyContent; bind: BindContent; notifyInterval: number };

export type Occasion = {
  event: NoticeEvent;
  /** The alarm was already firing, whether or not the channel was notified. */
  reminder: boolean;
  /** The alarm fires on after a silence: only channels that did not get it are notified. */
  resumed?: boolean;
  /** A person holds the notifications of its rule at its place back. */
  silenced?: boolean;
  level: 'P0' | 'P1' | 'P2' | 'P3';
  now: number;
};

/** Earlier FIRED notifications of the channel by this policy, whatever their delivery status. */
export type DeliveryHistory = {
  /** Those of the same rule state within the interval of `rateOf`. */
  recent: number;
  /** Number of those for this alarm; the time of the last (ms) is in `lastOfAlarm`. */
  ofAlarm: number;
  lastOfAlarm: number | null;
};

/** Limit: `count` FIRED notifications of one rule state per channel in `ms` milliseconds; 0 ms = no limit. */
export function rateOf({ policy, bind, notifyInterval }: Terms): { ms: number; count: number } {
  if (bind.rateLimitOverrideMs !== undefined) return { ms: bind.rateLimitOverrideMs, count: 1 };
  const limit = policy.rateLimit;
  return limit ? { ms: limit.intervalMs, count: limit.maxCount } : { ms: notifyInterval, count: 1 };
}

/**
 * The reason to skip a channel; null to notify it (docs/specification/notifications.md, Policy). The rate
 * limit applies to FIRED only, so RECOVERED is never lost to it; RECOVERED is sent only if the channel got
 * FIRED.
 */
export function suppressionReason(
  terms: Terms,
  occasion: Occasion,
  past: DeliveryHistory,
): string | null {
  const { policy, bind } = terms;
  const { event, reminder, resumed = false, silenced = false, level, now } = occasion;
  if (bind.levels.length > 0 && !bind.levels.includes(level)) return 'level';
  const ofRecovery = event === 'RECOVERED' ? recoveryReason(terms, past) : null;
  if (ofRecovery !== null) return ofRecovery;
  if (silenced) return 'silenced by a person';
  if (policy.silence?.enabled && policy.silence.windows.some((window) => isWithin(window, now)))
    return 'silence';
  if (event === 'RECOVERED') return null;
  // Without a limit of the rate: a silence ends once, and no later fact would make up for it.
  if (resumed) return past.ofAlarm > 0 ? 'told already' : null;
  if (reminder && !isRepeatDue(terms, past, now)) return 'told already';
  const rate = rateOf(terms);
  return rate.ms > 0 && past.recent >= rate.count ? 'rate limit' : null;
}

function recoveryReason({ policy, bind }: Terms, past: DeliveryHistory): string | null {
  const { enabled = true, sendRecoveryMessage = true } = policy.recovery ?? {};
  if (!enabled || !sendRecoveryMessage || !bind.sendRecovery) return 'recovery is not wanted';
  return past.ofAlarm === 0 ? 'the alarm was not told either' : null;
}

function isRepeatDue(
  { policy: { repeat } }: Terms,
  { ofAlarm, lastOfAlarm }: DeliveryHistory,
  now: number,
): boolean {
  if (!repeat?.enabled || ofAlarm >= repeat.maxTimes + 1) return false;
  return lastOfAlarm === null || now - lastOfAlarm >= repeat.intervalMs;
}
