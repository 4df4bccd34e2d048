import { at, type Series, type Window } from './find/series.ts';

const BARS = '▁▂▃▄▅▆▇█';
const NOTHING = '·';
/** A bar is two tokens of a model. */
const MAX_BARS = 16;

/** The means of equal parts of the window as bars between the lowest and the highest; `·` where nothing came. */
export function sparkline({ times, values }: Series, { from, to }: Window): string {
  const sums = new Float64Array(MAX_BARS);
  const counts = new Float64Array(MAX_BARS);
  const perMs = MAX_BARS / (to - from);
  for (let index = 0; index < times.length; index += 1) {
    const part = Math.floor(((times[index] ?? NaN) - from) * perMs);
    const bar = Math.max(0, Math.min(MAX_BARS - 1, part));
    sums[bar] = (sums[bar] ?? NaN) + (values[index] ?? NaN);
    counts[bar] = (counts[bar] ?? NaN) + 1;
  }
  const means = sums.map((sum, bar) => sum / at(counts, bar));
  const known = means.filter((mean) => !Number.isNaN(mean));
  const low = Math.min(...known);
  const range = Math.max(...known) - low;
  const barOf = (mean: number): string => {
    if (Number.isNaN(mean)) return NOTHING;
    const height = range > 0 ? Math.round(((mean - low) / range) * (BARS.length - 1)) : 0;
    return BARS[height] ?? NOTHING;
  };
  return Array.from(means, barOf).join('');
}
