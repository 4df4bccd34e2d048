import { at, type Series, type Window } from './find/series.ts';
import { levelIn } from './number-digest.ts';
import type { Sample } from './plot.ts';

/** Part of the window, times in ms; of a counter with its increase. */
type Bucket = {
  from: number;
  count: number;
  mean: number;
  min: number;
  max: number;
  increase: number | null;
};
/** Where a counter began anew, and from which value. */
type Reset = { time: number; from: number };
export type Buckets = { parts: Bucket[]; total: number | null; resets: Reset[] };

type Counted = { increases: Float64Array; resets: Reset[] };

/** What is measured in these is no count: temperatures, shares, pressures, powers, currents, rates. */
const OF_A_LEVEL =
  /\/|^(?:°[CF]?|℃|K|%|‰|ppm|ppb|pH|dBA?|lx|[hkM]?Pa|m?bar|psi|[mkM]?W|[mk]?A|[mk]?V|VA|kVA|[kM]?Hz|rpm)$/;
/** A counter rises so much oftener than it begins anew. */
const RISES = 5;

/**
 * By how much a counter rose with each value; null for a series that is none: by its unit, or because it falls now and
 * then, and not to less than half. Where a counter falls it began anew, and what it has since is its increase.
 */
export function countedIn(
  { times, values }: Series,
  unit: string,
  lead: number | null,
): Counted | null {
  if (OF_A_LEVEL.test(unit.trim())) return null;
  let rises = 0;
  const increases = new Float64Array(values.length);
  const resets: Reset[] = [];
  let before = lead ?? at(values, 0);
  for (let index = 0; index < values.length; index += 1) {
    const value = at(values, index);
    if (value < 0) return null;
    if (value < before) {
      if (value > before / 2) return null;
      resets.push({ time: at(times, index), from: before });
    }
    if (value > before) rises += 1;
    increases[index] = value < before ? value : value - before;
    before = value;
  }
  return rises > 0 && rises >= RISES * resets.length ? { increases, resets } : null;
}

type Asked = {
  /** Of the parts, in order of time (ms), the end of the last one included. */
  edges: readonly number[];
  /** The last value before the first edge: what came until the first one within belongs to it. */
  lead: Sample | null;
  unit: string;
  window: Window;
  pauseMs: number;
};

/** The figures of each part of a window that has values; of a counter what it counted in it. */
export function bucketsOf(series: Series, { edges, lead, unit, window, pauseMs }: Asked): Buckets {
  const first = typeof lead?.value === 'number' ? lead.value : null;
  const counted = countedIn(series, unit, first);
  const parts: Bucket[] = [];
  let begin = 0;
  for (const [index, to] of edges.slice(1).entries()) {
    const from = edges[index] ?? window.from;
    const until = index === edges.length - 2 ? Infinity : to;
    let end = begin;
    while (end < series.times.length && at(series.times, end) < until) end += 1;
    if (end > begin) {
      const times = series.times.subarray(begin, end);
      const values = series.values.subarray(begin, end);
      const { mean, min, max } = levelIn(
        { series: { times, values } },
        { ...window, from, to },
        pauseMs,
      );
      parts.push({
        from,
        count: end - begin,
        mean,
        min: min.value,
        max: max.value,
        increase: counted && sumOf(counted.increases.subarray(begin, end)),
      });
    }
    begin = end;
  }
  return {
    parts,
    total: counted && sumOf(counted.increases),
    resets: counted?.resets ?? [],
  };
}

const sumOf = (numbers: Float64Array): number => numbers.reduce((sum, one) => sum + one, 0);
