import type { Outcome } from '../channel/channel.ts';
import { after, type DeliveryStatus } from './delivery-status.ts';

/** With the first one. */
export const MAX_TRIES = 5;
const FIRST_WAIT_MS = 5_000;
const MAX_WAIT_MS = 3_600_000;

export type Verdict = {
  status: DeliveryStatus;
  retryCount: number;
  /** When it is due again (ms); null when it has ended. */
  nextTry: number | null;
};

/**
 * What becomes of a row that was sent (docs/specification/notifications.md, Delivery states). A receiver that
 * was not reached is tried again after 5, 10, 20 and 40 s, of which `jitter` (0 to 1) takes up to half, or
 * when the receiver says; what it refused is not.
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
