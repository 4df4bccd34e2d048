import { nameOf } from '../../kernel/input/flag.ts';
import { isNumeric, ValueType } from '../../manager/entity/value-type.ts';
import { type Freshness, freshnessOf } from '../value/freshness.ts';
import type { PairFacts } from '../value/pair.ts';
import { type Buckets, bucketsOf } from './buckets.ts';
import { expectedDistance, type Gaps, gapsIn, longestPause, paced } from './find/gaps.ts';
import type { Series } from './find/series.ts';
import { levelIn, type NumberDigest, numberDigestOf } from './number-digest.ts';
import type { Line, Sample } from './plot.ts';
import { evenly, sampled } from './sampling.ts';
import { picked, type State, type StateDigest, stateDigestOf, switchesOf } from './states.ts';
import type { Readings } from './wire.ts';

/** What is stored of a point of a device in a window; times in ms since the epoch. */
export type Digest = {
  count: number;
  /** Values that the pace of the series or of its reads lets expect, and the share of them that came, at most 1. */
  expected: number;
  coverage: number;
  /** How many of the values are not good. */
  uncertain: number;
  bad: number;
  first: Sample | null;
  /** With its age, and whether a newer one is overdue; neither of a window that ended before, after which others may have come. */
  last: (Sample & Partial<Pick<Freshness, 'ageS' | 'stale'>>) | null;
  gaps: Gaps;
  /** Of a point with numbers; null without any. */
  numbers: NumberDigest | null;
  /** Of a point with texts, or with true and false. */
  states: StateDigest | null;
  /** How much higher it is than in the period before; null without numbers there. */
  change: Change | null;
  samples: Sample[];
  /** Of a point with numbers: of a counter what it counted, and the parts that were asked for. */
  buckets: Buckets | null;
  /** The oldest value that is stored (ms), where the window begins before it. */
  firstAt: number | null;
  /** To draw; empty unless it was asked for. */
  line: Line;
};

type Change = { mean: number; min: number; max: number };

type Stored = {
  facts: PairFacts;
  readings: Readings;
  /** Changes of a point with texts; none of another. */
  texts: readonly State[];
  /** Of the period before. */
  earlier: Readings | null;
  /** The last value before the window. */
  lead: Sample | null;
  /** When the values before a short window came (ms). */
  before: Float64Array;
  /** The oldest value that is stored (ms), where the window begins with none; null: before the window, or none. */
  oldest: number | null;
};

/** Times in ms; `samples`: how many values are wanted. */
type Asked = {
  from: number;
  to: number;
  now: number;
  samples: number;
  plot: boolean;
  unit: string;
  /** Of parts of the window; none: no parts. */
  edges: readonly number[];
};

/** Values of a line: two for each of its pixels. */
const LINE_VALUES = 1_100;

/** Describes what was read. */
export function digestOf(stored: Stored, asked: Asked): Digest {
  const { facts, readings, texts, earlier, lead } = stored;
  const { series, quality } = readings;
  const { intervalMs } = facts;
  const window = { from: asked.from, to: asked.to, intervalMs };
  const arrivals = paced(readings.arrivals, window, stored.before);
  const pauseMs = longestPause(arrivals, intervalMs);
  const distanceMs = expectedDistance(arrivals, intervalMs);
  const { firstAt, since } = dueIn(stored.oldest, asked);
  const dueMs = asked.to - since;
  const expected = dueMs > 0 ? Math.max(1, Math.round(dueMs / distanceMs)) : 0;
  const type = nameOf(ValueType, facts.pointTypeFlag);
  const states = type === 'BOOLEAN' ? switchesOf(series) : texts;
  const isNumber = isNumeric(type);
  const hasNumbers = isNumber && series.times.length > 0;
  const parts = { edges: asked.edges, lead, unit: asked.unit, window, pauseMs };
  const buckets = hasNumbers ? bucketsOf(series, parts) : null;
  const numbers = hasNumbers
    ? numberDigestOf(readings, window, pauseMs, facts.valueDecimal, buckets?.resets)
    : null;
  const first = isNumber ? firstOf(series) : states[0];
  const last = isNumber ? lastOf(series) : states.at(-1);
  const lastAt = isNumber ? last?.time : arrivals.to.at(-1);
  return {
    count: quality.count,
    expected,
    coverage: Math.min(1, quality.count / Math.max(1, expected)),
    uncertain: quality.uncertain,
    bad: quality.bad,
    first: first ?? null,
    last: last
      ? { value: last.value, ...agedAt(lastAt ?? last.time, { intervalMs, ...asked }) }
      : null,
    gaps: gapsIn(arrivals, { from: since, to: asked.to }, pauseMs),
    numbers,
    states: isNumber ? null : stateDigestOf(states, asked.to),
    change: numbers && earlier && changeSince(earlier, numbers, window),
    buckets,
    firstAt,
    line: {
      samples: asked.plot ? sampled(series, LINE_VALUES) : [],
      gapMs: pauseMs,
    },
    samples: isNumber ? evenly(series, asked.samples) : picked(states, asked.samples),
  };
}

/** Since when values are due in a window: not before the first that there was, which is `firstAt` where that is later. */
function dueIn(oldest: number | null, { from, to }: Pick<Asked, 'from' | 'to'>) {
  const firstAt = oldest !== null && oldest > from ? oldest : null;
  return { firstAt, since: Math.min(firstAt ?? from, to) };
}

const firstOf = ({ times, values }: Series): Sample | undefined => sampleOf(times[0], values[0]);
const lastOf = ({ times, values }: Series): Sample | undefined =>
  sampleOf(times.at(-1), values.at(-1));

const sampleOf = (time?: number, value?: number): Sample | undefined =>
  time === undefined || value === undefined ? undefined : { time, value };

/** A window that ended so long ago ended before now. */
const PAST_MS = 60_000;

type Seen = { intervalMs: number; now: number; to: number };

function agedAt(time: number, { intervalMs, now, to }: Seen) {
  if (now - to > PAST_MS) return { time };
  const value = { createTime: new Date(time), quality: 'GOOD' as const };
  const { ageS, stale } = freshnessOf(value, { intervalMs, now });
  return { time, ageS, stale };
}

function changeSince(
  earlier: Readings,
  now: NumberDigest,
  { from, to, intervalMs }: { from: number; to: number; intervalMs: number },
): Change | null {
  if (earlier.series.times.length === 0) return null;
  const window = { from: from - (to - from), to: from, intervalMs };
  const { mean, min, max } = levelIn(earlier, window, longestPause(earlier.arrivals, intervalMs));
  return { mean: now.mean - mean, min: now.min.value - min.value, max: now.max.value - max.value };
}
