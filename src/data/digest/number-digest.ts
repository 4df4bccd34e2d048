import { binned, type Bins } from './find/bins.ts';
import { type Reset, unbroken } from './find/counter.ts';
import { type Findings, findingsIn } from './find/findings.ts';
import { type Level, levelOf, LEVELS } from './find/level.ts';
import { median, quantiles } from './find/order.ts';
import { at, type Series, type Window } from './find/series.ts';
import type { Readings } from './wire.ts';

const BARS = '▁▂▃▄▅▆▇█';
const NOTHING = '·';
/** A bar is two tokens of a model. */
const MAX_BARS = 16;

const MAX_POINTS = 48;
const HOUR_MS = 3_600_000;

export type NumberDigest = Level &
  Findings & {
    /** Null of too few values. */
    slopePerHour: number | null;
    spark: string;
    /** Decimals in which its figures are shown. */
    decimals: number;
  };

/** Values that are looked at for the decimals that a point really has. */
const MAX_LOOKED_AT = 200;

/**
 * Of readings with at least one number; `pauseMs` is the longest distance of two values that is no gap, `decimals` what
 * the point shows at most, `resets` where a counter began anew.
 */
export function numberDigestOf(
  readings: Readings,
  window: Window,
  pauseMs: number,
  decimals: number,
  resets: readonly Reset[] = [],
): NumberDigest {
  const { series } = readings;
  const shown = Math.min(decimals, decimalsOf(series.values));
  const counter = resets.length > 0 ? unbroken(series, resets) : null;
  const risen = counter?.series ?? series;
  const bins = binned(risen, pauseMs);
  const found = findingsIn(risen, bins, pauseMs, 10 ** -shown);
  return {
    ...levelIn(readings, window, pauseMs),
    ...(counter ? asShown(found, counter.shown) : found),
    slopePerHour: bins && slopePerHour(bins),
    spark: sparkline(series, window),
    decimals: shown,
  };
}

const asShown = (
  { spikes, flats, changes }: Findings,
  shown: (value: number, time: number) => number,
): Findings => ({
  spikes: spikes.map((spike) => ({ ...spike, peak: shown(spike.peak, spike.time) })),
  flats: flats.map((flat) => ({ ...flat, value: shown(flat.value, flat.from) })),
  changes,
});

/** Of readings with at least one number. */
export function levelIn(
  { series, means }: Pick<Readings, 'series' | 'means'>,
  window: Window,
  pauseMs: number,
): Level {
  const level = levelOf(series, window, pauseMs);
  if (!means) return level;
  // Of many values the extremes are known, and means of parts of the time, which stand for the rest.
  const [p5 = NaN, p50 = NaN, p95 = NaN] = quantiles(means, LEVELS);
  return {
    ...level,
    mean: means.reduce((sum, mean) => sum + mean, 0) / means.length,
    p5,
    p50,
    p95,
  };
}

/** Decimals that some of the values really have. */
export function decimalsOf(values: Float64Array): number {
  const every = Math.max(1, Math.ceil(values.length / MAX_LOOKED_AT));
  let most = 0;
  for (let index = 0; index < values.length; index += every) {
    const text = String(values[index]);
    const point = text.indexOf('.');
    if (text.includes('e-')) return Infinity;
    if (point >= 0) most = Math.max(most, text.length - point - 1);
  }
  return most;
}

/** Change per hour: the median of the slopes of all pairs (Theil–Sen), which outliers do not move. */
export function slopePerHour({ widthMs, medians }: Bins): number {
  const every = Math.max(1, Math.floor(medians.length / MAX_POINTS));
  const slopes: number[] = [];
  for (let a = 0; a < medians.length; a += every)
    for (let b = a + every; b < medians.length; b += every) {
      const slope = (at(medians, b) - at(medians, a)) / (b - a);
      if (!Number.isNaN(slope)) slopes.push(slope);
    }
  return (median(Float64Array.from(slopes)) / widthMs) * HOUR_MS;
}

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
