import type { Clock } from '../../src/kernel/clock.ts';

/** Times learnt more than two windows ago are forgotten: clocks may have been set since. */
const WINDOW_MS = 60_000;
/** A message from further ahead than this is believed once another one, sent later, agrees with it. */
const MAX_LEAP_MS = 60_000;
/** Two messages agree if the clock they speak of went on by as much as the own one, this much apart. */
const AGREES_MS = 500;
const AGREES_AFTER_MS = 1_000;

/**
 * The clock of the centers as a driver can know it: from the times in their messages, continued by its own
 * monotonic clock. The wall clock of its host may be wrong.
 */
export type CenterTime = {
  /** Takes the time (ms since the epoch) at which a message was sent. */
  learn(sentAt: number): void;
  /** The centers' clock, never ahead of it; null as long as no message came. */
  now(): number | null;
  /** Time since `at` by the centers' clock, at least 0 and never more than the real time. */
  since(at: number): number;
};

export function createCenterTime(clock: Pick<Clock, 'elapsed'>): CenterTime {
  let windowStart = clock.elapsed();
  let before = Number.NEGATIVE_INFINITY;
  let current = Number.NEGATIVE_INFINITY;
  let leap: { offset: number; at: number } | null = null;

  /** One message with a wrong time must not make every command after it look expired. */
  function isBelieved(offset: number, now: number): boolean {
    if (!Number.isFinite(offset)) return false;
    const known = Math.max(before, current);
    if (known === Number.NEGATIVE_INFINITY || offset - known <= MAX_LEAP_MS) return true;
    const agrees = leap !== null && Math.abs(offset - leap.offset) <= AGREES_MS;
    if (!agrees) leap = { offset, at: now };
    return agrees && leap !== null && now - leap.at >= AGREES_AFTER_MS;
  }

  function present(): number | null {
    const offset = Math.max(before, current);
    return Number.isFinite(offset) ? offset + clock.elapsed() : null;
  }

  return {
    learn(sentAt) {
      const now = clock.elapsed();
      if (now - windowStart >= WINDOW_MS) {
        before = now - windowStart >= 2 * WINDOW_MS ? Number.NEGATIVE_INFINITY : current;
        current = Number.NEGATIVE_INFINITY;
        windowStart = now;
      }
      // A message arrives after it was sent: the one with the shortest delay gives the best estimate.
      const offset = sentAt - now;
      if (isBelieved(offset, now)) current = Math.max(current, offset);
    },
    now: present,
    since(at) {
      const now = present();
      return now === null ? 0 : Math.max(0, now - at);
    },
  };
}
