import type { Clock } from '../../../src/core/clock.ts';

/** Times learnt more than two windows ago are forgotten: clocks may have been set since. */
const WINDOW_MS = 60_000;

/**
 * The clock of the centers as a driver can know it: from the times in their messages, continued by its own
 * monotonic clock. The wall clock of its host may be wrong.
 */
export type CenterTime = {
  /** Takes the time (ms since the epoch) at which a message was sent. */
  learn(sentAt: number): void;
  /** Time since `at` by the centers' clock, at least 0 and never more than the real time. */
  since(at: number): number;
};

export function createCenterTime(clock: Pick<Clock, 'elapsed'>): CenterTime {
  let windowStart = clock.elapsed();
  let before = Number.NEGATIVE_INFINITY;
  let current = Number.NEGATIVE_INFINITY;

  return {
    learn(sentAt) {
      const now = clock.elapsed();
      if (now - windowStart >= WINDOW_MS) {
        before = now - windowStart >= 2 * WINDOW_MS ? Number.NEGATIVE_INFINITY : current;
        current = Number.NEGATIVE_INFINITY;
        windowStart = now;
      }
      // A message arrives after it was sent: the one with the shortest delay gives the best estimate.
      current = Math.max(current, sentAt - now);
    },
    since(at) {
      const offset = Math.max(before, current);
      return Number.isFinite(offset) ? Math.max(0, offset + clock.elapsed() - at) : 0;
    },
  };
}
