import type { Outcome } from '../channel/channel.ts';
import { after, type DeliveryStatus } from '../kind/delivery-status.ts';

/** Including the first attempt. */
export const MAX_TRIES = 5;
const FIRST_WAIT_MS = 5_000;
const MAX_WAIT_MS = 3_600_000;

export type Verdict = {
  status: DeliveryStatus;
  retryCount: number;
  /** Time of the next attempt (ms); null when delivery has ended. */
  nextTry: number | null;
};

/**
 * The status of a row after an attempt (docs/specification/notifications.md, Delivery states). An unreachable
 * receiver is retried after 5, 10, 20 and 40 s, of which `jitter` (0 to 1) takes off up to half, and not
 * before its Retry-After; a refusal is final.
 */
export function verdictOn(
  outcome: Outcome,
  { retryCount, now, jitter }: { retryCount: number; now: number; jitter: number },
): Verdict {
  if (outcome.status === 'delivered')
    return { status: after('SENT', 'succeed'), retryCount, nextTry: null };
  const tries = retryCount + 1;
  if (outcome.status === 'refused' || tries >= MAX_TRIES)
    return { status: after('SENT', 'fail'), retryCount, nextTry: null };
  const wait = FIRST_WAIT_MS * 2 ** retryCount * (1 - jitter / 2);
  const asked = Math.min(outcome.retryAfterMs ?? 0, MAX_WAIT_MS);
  return {
    status: after('SENT', 'fail', 'retry'),
    retryCount: tries,
    nextTry: now + Math.max(Math.round(wait), asked),
  };
}
