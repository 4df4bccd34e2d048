import { countedIn, type Reset } from './find/counter.ts';
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
export type Buckets = { parts: Bucket[]; total: number | null; resets: Reset[] };

type Asked = {
  /** Of the parts, in order of time (ms), the end of the last one included. */
  edges: readonly number[];
  /** The last value before the first edge: what came until the first one within belongs to it. */
  lead: Sample | null;
  unit: string;
  window: Window;
  pauseMs: number;
};

/** The figures of each part of a window that has values, and of a counter what it counted in all of it. */
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
