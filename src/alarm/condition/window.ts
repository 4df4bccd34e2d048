import { z } from 'zod';

import { durationMs } from '../kind/duration.ts';
import { perMs, samplesNeeded, type Window } from '../kind/window.ts';

/** Parts of a window that are remembered: values that come more often share one, and leave the window with it. */
export const PARTS = 120;

/** Values of one part of a window by their times; `seq` is that of the last. */
const Part = z.object({
  from: z.number(),
  to: z.number(),
  seq: z.number(),
  count: z.number(),
  sum: z.number(),
  low: z.number(),
  high: z.number(),
  first: z.number(),
  last: z.number(),
});
type Part = z.output<typeof Part>;
const Parts = z.array(Part);

/** The parts of a window, oldest first. */
export type Parts = readonly Part[];

/** Parts that were made here: they need no look at each of them again. */
const MADE = new WeakSet<object>();

const isMade = (stored: unknown): stored is Parts =>
  typeof stored === 'object' && stored !== null && MADE.has(stored);

export const partsOf = (stored: unknown): Parts =>
  isMade(stored) ? stored : (Parts.safeParse(stored).data ?? []);

type Sample = { at: number; seq: number; value: number };

/**
 * The parts with another value, at `now`. Null if they have it, or may have it because its part holds later ones, and
 * for a value that is older than the window. What comes late counts from the next decision on.
 */
export function withSample(
  window: Window,
  parts: Parts,
  sample: Sample,
  now: number,
): Parts | null {
  const next = joinedBy(window, parts, sample, now);
  if (next) MADE.add(next);
  return next;
}

function joinedBy(
  window: Window,
  parts: Parts,
  { at, seq, value }: Sample,
  now: number,
): Parts | null {
  const lengthMs = durationMs(window.duration ?? '') ?? 0;
  // A clock that was set back leaves values of the future.
  const past = parts.every(({ to }) => to <= now) ? parts : parts.filter(({ to }) => to <= now);
  const end = Math.max(at, past.at(-1)?.to ?? at);
  const begin = end - lengthMs;
  if (at < begin) return null;
  const left = past.findIndex(({ from }) => from >= begin);
  const kept = left === -1 ? [] : past.slice(left);
  const own = { from: at, to: at, seq, count: 1, sum: value };
  const alone = { ...own, low: value, high: value, first: value, last: value };
  const placeOf = (ms: number): number => Math.floor(ms / (lengthMs / PARTS));
  const place = placeOf(at);
  const index = kept.findLastIndex(({ from }) => placeOf(from) <= place);
  const shared = kept[index];
  if (shared === undefined || placeOf(shared.from) < place) {
    kept.splice(index + 1, 0, alone);
    return kept;
  }
  if (at === shared.to && seq === shared.seq) return null;
  const isBehind = at < shared.to || (at === shared.to && seq < shared.seq);
  if (isBehind && shared.count > 1) return null;
  kept[index] = isBehind ? joined(alone, shared) : joined(shared, alone);
  return kept;
}

const joined = (a: Part, b: Part): Part => ({
  from: a.from,
  to: b.to,
  seq: b.seq,
  count: a.count + b.count,
  sum: a.sum + b.sum,
  low: Math.min(a.low, b.low),
  high: Math.max(a.high, b.high),
  first: a.first,
  last: b.last,
});

/** What the values of a window come to; null where they are too few to say, or all of one moment. */
export function aggregateOf(window: Window, parts: Parts): number | null {
  const [oldest] = parts;
  const newest = parts.at(-1);
  const count = sumOf(parts, 'count');
  if (!oldest || !newest || count < samplesNeeded(window)) return null;
  const value = COMES_TO[window.mode](parts, { oldest, newest, count, window });
  return Number.isFinite(value) ? value : null;
}

type Ends = { oldest: Part; newest: Part; count: number; window: Window };
const changeOf = ({ oldest, newest }: Ends): number => newest.last - oldest.first;

/** What a window comes to, by its mode. */
const COMES_TO: Record<Window['mode'], (parts: Parts, ends: Ends) => number> = {
  LAST: (_, { newest }) => newest.last,
  MEAN: (parts, { count }) => sumOf(parts, 'sum') / count,
  MIN: (parts) => parts.reduce((low, part) => Math.min(low, part.low), Infinity),
  MAX: (parts) => parts.reduce((high, part) => Math.max(high, part.high), -Infinity),
  SUM: (parts) => sumOf(parts, 'sum'),
  COUNT: (_, { count }) => count,
  RATE: (_, ends) => (changeOf(ends) / (ends.newest.to - ends.oldest.from)) * perMs(ends.window),
  DELTA: (_, ends) => changeOf(ends),
};

const sumOf = (parts: Parts, of: 'count' | 'sum'): number =>
  parts.reduce((sum, part) => sum + part[of], 0);
