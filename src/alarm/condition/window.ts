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

export const partsOf = (stored: unknown): Parts => Parts.safeParse(stored).data ?? [];

type Sample = { at: number; seq: number; value: number };

/**
 * The parts with another value, at `now`. Null if they have it, or may have it because its part holds later ones, and
 * for a value that is older than the window. What comes late counts from the next decision on.
 */
export function withSample(
  window: Window,
  parts: Parts,
  { at, seq, value }: Sample,
  now: number,
): Parts | null {
  const lengthMs = durationMs(window.duration ?? '') ?? 0;
  // A clock that was set back leaves values of the future.
  const past = parts.filter(({ to }) => to <= now);
  const end = Math.max(at, past.at(-1)?.to ?? at);
  if (at < end - lengthMs) return null;
  const kept = past.filter(({ from }) => from >= end - lengthMs);
  const own = { from: at, to: at, seq, count: 1, sum: value };
  const alone = { ...own, low: value, high: value, first: value, last: value };
  const placeOf = (ms: number): number => Math.floor(ms / (lengthMs / PARTS));
  const index = kept.findIndex(({ from }) => placeOf(from) === placeOf(at));
  const shared = kept[index];
  if (shared === undefined) return [...kept, alone].toSorted((a, b) => a.from - b.from);
  if (at === shared.to && seq === shared.seq) return null;
  const isBehind = at < shared.to || (at === shared.to && seq < shared.seq);
  if (isBehind && shared.count > 1) return null;
  return kept.with(index, isBehind ? joined(alone, shared) : joined(shared, alone));
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
  const sum = sumOf(parts, 'sum');
  const change = newest.last - oldest.first;
  const value = {
    LAST: newest.last,
    MEAN: sum / count,
    MIN: Math.min(...parts.map(({ low }) => low)),
    MAX: Math.max(...parts.map(({ high }) => high)),
    SUM: sum,
    COUNT: count,
    RATE: (change / (newest.to - oldest.from)) * perMs(window),
    DELTA: change,
  }[window.mode];
  return Number.isFinite(value) ? value : null;
}

const sumOf = (parts: Parts, of: 'count' | 'sum'): number =>
  parts.reduce((sum, part) => sum + part[of], 0);
