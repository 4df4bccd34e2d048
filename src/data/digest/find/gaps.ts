import { STALE_AFTER } from '../../value/freshness.ts';
import { median } from './order.ts';
import { at } from './series.ts';

const MAX_GAPS = 5;

/**
 * When values came, in order of time (ms): each of them (from = to), or spans in which they came without a longer
 * distance. `usualMs` is the usual distance of two values, 0: not known; `isRegular`: most others are about the same.
 */
export type Arrivals = {
  from: Float64Array;
  to: Float64Array;
  usualMs: number;
  isRegular: boolean;
};

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

/** Distances this near to each other, as a share, are the same. */
const TOLERANCE = 0.1;

export const isAbout = (ms: number, usualMs: number): boolean =>
  Math.abs(ms - usualMs) <= TOLERANCE * usualMs;

/** Fewer distances say nothing, also where all are the same. */
const FEWEST = 3;
/** Share of a window that few values have to cover. */
const MOST_OF_IT = 0.7;

/** Share of the distances before a window that are about the same where values come regularly. */
const REGULAR = 0.75;

/** The distance (ms) at which values came before a window, at `times` in any order; 0: not known. */
function paceOf(times: Float64Array): number {
  const ordered = times.toSorted();
  if (ordered.length <= FEWEST) return 0;
  const distances = Float64Array.from(
    ordered.subarray(1),
    (time, index) => time - at(ordered, index),
  );
  const usualMs = median(distances);
  const alike = distances.filter((ms) => isAbout(ms, usualMs)).length;
  return usualMs > 0 && alike >= REGULAR * distances.length ? usualMs : 0;
}

/**
 * The same arrivals with the pace of their values where these are few, come regularly and cover most of the window: an
 * hour of values every quarter of an hour is whole, however often the driver reads. Of fewer the pace is that of the values
 * before the window (`before`: their times in ms), where these came regularly.
 */
export function paced(
  arrivals: Arrivals,
  { from, to }: { from: number; to: number },
  before: Float64Array = new Float64Array(),
): Arrivals {
  const { from: times, usualMs } = arrivals;
  if (usualMs > 0) return arrivals;
  if (times.length > FEWEST) {
    const distances = Float64Array.from(
      times.subarray(1),
      (time, index) => time - at(times, index),
    );
    const spanMs = distances.reduce((sum, ms) => sum + ms, 0);
    const meanMs = spanMs / distances.length;
    const isRegular = meanMs > 0 && distances.every((ms) => isAbout(ms, meanMs));
    if (isRegular && spanMs + meanMs >= MOST_OF_IT * (to - from))
      return { ...arrivals, usualMs: meanMs, isRegular };
  }
  const paceMs = paceOf(before);
  return paceMs > 0 ? { ...arrivals, usualMs: paceMs, isRegular: true } : arrivals;
}

/**
 * The distance (ms) at which values are expected: `intervalMs` of the schedule, or that of a series with a regular
 * pace of its own, such as one that was imported.
 */
export const expectedDistance = ({ usualMs, isRegular }: Arrivals, intervalMs: number): number =>
  isRegular && !isAbout(usualMs, intervalMs) ? usualMs : intervalMs;

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
  const { from, to } = arrivals;
  for (let index = 0; index < from.length; index += 1) {
    const begin = from[index] ?? NaN;
    if (begin - before > pauseMs) add(before, begin);
    before = to[index] ?? NaN;
  }
  add(before, window.to);
  return {
    longest: gaps.toSorted((a, b) => b.s - a.s || a.from - b.from).slice(0, MAX_GAPS),
    count: gaps.length,
    totalS: gaps.reduce((sum, { s }) => sum + s, 0),
  };
}
