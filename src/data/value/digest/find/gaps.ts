import { STALE_AFTER } from '../../freshness.ts';
import { at } from './series.ts';

const MAX_GAPS = 5;

/**
 * When values came, in order of time (ms): each of them (from = to), or spans in which they came without a longer
 * distance. `usualMs` is the usual distance of two values; 0: not known.
 */
export type Arrivals = { from: Float64Array; to: Float64Array; usualMs: number };

/** Nothing came for `s` seconds after `from` (ms). */
type Gap = { from: number; s: number };
/** The longest gaps, in order of length, and how many there are in all, with their seconds. */
export type Gaps = { longest: Gap[]; count: number; totalS: number };

/**
 * The distance (ms) between values beyond which one is missing: as long as makes a value stale. A device may report
 * at a slower pace than its driver reads, on change only for example.
 */
export const longestPause = ({ usualMs }: Arrivals, intervalMs: number): number =>
  STALE_AFTER * Math.max(intervalMs, usualMs);

/** Where no value came for longer than `pauseMs`, at the beginning and the end of the window (ms) too. */
export function gapsIn(
  arrivals: Arrivals,
  window: { from: number; to: number },
  pauseMs: number,
): Gaps {
  const gaps: Gap[] = [];
  const add = (from: number, until: number): void => {
    if (until - from > pauseMs) gaps.push({ from, s: (until - from) / 1000 });
  };
  let before = window.from;
  for (let index = 0; index < arrivals.from.length; index += 1) {
    add(before, at(arrivals.from, index));
    before = at(arrivals.to, index);
  }
  add(before, window.to);
  return {
    longest: gaps.toSorted((a, b) => b.s - a.s || a.from - b.from).slice(0, MAX_GAPS),
    count: gaps.length,
    totalS: gaps.reduce((sum, { s }) => sum + s, 0),
  };
}
