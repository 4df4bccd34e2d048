import { type Bins, binOf, smoothed } from './bins.ts';
import { quantile, spread } from './order.ts';
import { at, type Series } from './series.ts';

const MAX_SPIKES = 5;
/** More are how the value behaves: pulses, not faults. */
const MAX_PULSES = 10;
/** In standard deviations of the noise. */
const NOISE_LIMIT = 8;
/** In bins; what lasts longer is a level of its own. */
const MAX_BINS = 3.5;
/** Bins to either side of one that say what is usual there: a spike must not be most of them. */
const REACH = 4;
/** Distances from the usual that are looked at for the noise. */
const MAX_NOISE = 5_000;

/** A short excursion: from and to are its first and last value, `time` that of the peak (all ms). */
export type Spike = { from: number; to: number; time: number; peak: number; s: number };

/** The highest at most five, in order of time; `step` is the smallest difference that the point shows. */
export function spikesIn(series: Series, bins: Bins, step: number): Spike[] {
  const usual = smoothed(bins.medians, REACH);
  // Between the neighbours: a slope or an edge within a bin is no excursion.
  const near = (bin: number): number[] =>
    [bin - 1, bin, bin + 1].map((one) => at(usual, one)).filter((level) => !Number.isNaN(level));
  const low = usual.map((_, bin) => Math.min(...near(bin)));
  const high = usual.map((_, bin) => Math.max(...near(bin)));
  const limit = limitOf(series, bins, usual, step);

  const { times, values } = series;
  const spikes: (Spike & { height: number })[] = [];
  let last = -2;
  // Where a value is beyond the limits: the same for all of a bin, and unknown without usual levels.
  let until = -Infinity;
  let [above, below] = [NaN, NaN];
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? NaN;
    const time = times[index] ?? NaN;
    if (time >= until) {
      const bin = binOf(bins, time);
      until = bins.from + (bin + 1) * bins.widthMs;
      above = at(high, bin);
      below = at(low, bin);
    }
    const height = Math.max(value - above, below - value);
    if (!(height > limit)) continue;
    const next = at(times, Math.min(index + 1, times.length - 1));
    const open = spikes.at(-1);
    if (open && index - last <= 2) {
      open.to = time;
      open.s = (next - open.from) / 1000;
      if (height > open.height) Object.assign(open, { height, time, peak: value });
    } else
      spikes.push({ from: time, to: time, time, peak: value, s: (next - time) / 1000, height });
    last = index;
  }
  const short = spikes.filter(({ from, to }) => to - from <= MAX_BINS * bins.widthMs);
  if (short.length > MAX_PULSES) return [];
  return short
    .toSorted((a, b) => b.height - a.height)
    .slice(0, MAX_SPIKES)
    .toSorted((a, b) => a.time - b.time)
    .map(({ from, to, time, peak, s }) => ({ from, to, time, peak, s }));
}

/** The distance from the usual beyond which a value is no noise. */
function limitOf({ times, values }: Series, bins: Bins, usual: Float64Array, step: number): number {
  const every = Math.max(1, Math.ceil(values.length / MAX_NOISE));
  const distances = new Float64Array(Math.ceil(values.length / every))
    .map((_, pick) => {
      const index = pick * every;
      return Math.abs(at(values, index) - at(usual, binOf(bins, at(times, index))));
    })
    .filter((distance) => !Number.isNaN(distance))
    .toSorted();
  const often = quantile(distances, 0.98);
  return Math.max(NOISE_LIMIT * spread(distances), 2 * often, 4 * step);
}
