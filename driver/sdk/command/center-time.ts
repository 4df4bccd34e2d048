import type { Clock } from '../../../src/core/clock.ts';

/** What was learnt longer ago than two of these says nothing about clocks that were set since. */
const WINDOW_MS = 60_000;

/**
 * The clock of the centers as a driver can know it: from the times in their messages, counted on by its
 * own monotonic clock. The wall clock of its host may say anything.
 */
export type CenterTime = {
  /** A message said that it was this time when it was sent (ms since the epoch). */
  learn(sentAt: number): void;
  /** How long ago it was `at` for the centers, at least 0; never more than it was. */
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
      // Every message came later than it was sent: the one that waited least tells the time best.
      current = Math.max(current, sentAt - now);
    },
    since(at) {
      const offset = Math.max(before, current);
      return Number.isFinite(offset) ? Math.max(0, offset + clock.elapsed() - at) : 0;
    },
  };
}
