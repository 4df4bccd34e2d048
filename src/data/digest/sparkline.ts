import type { Series, Window } from './find/series.ts';

const BARS = '▁▂▃▄▅▆▇█';
const NOTHING = '·';
/** A bar is two tokens of a model. */
const MAX_BARS = 16;

/** The means of equal parts of the window as bars between the lowest and the highest; `·` where nothing came. */
export function sparkline({ times, values }: Series, { from, to }: Window): string {
  const widthMs = (to - from) / MAX_BARS;
  const means = new Float64Array(MAX_BARS);
  let index = 0;
  for (let bar = 0; bar < MAX_BARS; bar += 1) {
    const until = bar === MAX_BARS - 1 ? Infinity : from + (bar + 1) * widthMs;
    const first = index;
    let sum = 0;
    for (; index < times.length && (times[index] ?? NaN) < until; index += 1)
      sum += values[index] ?? NaN;
    means[bar] = sum / (index - first);
  }
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
