import type { BindContent, NotifyContent } from '../../notify/policy-ext.ts';
import type { NoticeEvent } from './notice-event.ts';
import { isSilent } from './silence-window.ts';

/** What a policy and its channel's bind say, and `notifyInterval` (ms). */
export type Terms = { policy: NotifyContent; bind: BindContent; notifyInterval: number };

export type Occasion = {
  event: NoticeEvent;
  /** The alarm was told before, or could have been: it goes on. */
  reminder: boolean;
  level: 'P0' | 'P1' | 'P2' | 'P3';
  now: number;
};

/** What the channel was told already. */
export type DeliveryHistory = {
  /** Firings of the same state within the interval of `rateOf`. */
  recent: number;
  /** How often, and when last (ms), it was told that this alarm fires. */
  ofAlarm: number;
  lastOfAlarm: number | null;
};

/** How many firings of one state a channel is told in how many milliseconds; 0 ms = all of them. */
export function rateOf({ policy, bind, notifyInterval }: Terms): { ms: number; count: number } {
  if (bind.rateLimitOverrideMs !== undefined) return { ms: bind.rateLimitOverrideMs, count: 1 };
  const limit = policy.rateLimit;
  return limit ? { ms: limit.intervalMs, count: limit.maxCount } : { ms: notifyInterval, count: 1 };
}

/**
 * Why a channel is not told; null when it is (docs/specification/notifications.md, Policy). Settled here: the
 * rate limits firings only, so that an end is never lost to it, and an end is told to whom its beginning was
 * told.
 */
export function suppressionReason(
  terms: Terms,
  occasion: Occasion,
  past: DeliveryHistory,
): string | null {
  const { policy, bind } = terms;
  const { event, reminder, level, now } = occasion;
  if (bind.levels.length > 0 && !bind.levels.includes(level)) return 'level';
  if (event === 'RECOVERED') {
    const { enabled = true, sendRecoveryMessage = true } = policy.recovery ?? {};
    if (!enabled || !sendRecoveryMessage || !bind.sendRecovery) return 'recovery is not wanted';
    if (past.ofAlarm === 0) return 'the alarm was not told either';
  }
  if (policy.silence?.enabled && policy.silence.windows.some((window) => isSilent(window, now)))
    return 'silence';
  if (event === 'RECOVERED') return null;
  if (reminder) {
    const repeat = policy.repeat;
    if (!repeat?.enabled || past.ofAlarm >= repeat.maxTimes + 1) return 'told already';
    if (past.lastOfAlarm !== null && now - past.lastOfAlarm < repeat.intervalMs)
      return 'told already';
  }
  const rate = rateOf(terms);
  return rate.ms > 0 && past.recent >= rate.count ? 'rate limit' : null;
}
