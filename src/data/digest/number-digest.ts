import { binned } from './find/bins.ts';
import { type Findings, findingsIn } from './find/findings.ts';
import { type Level, LEVELS, levelOf } from './find/level.ts';
import { quantiles } from './find/order.ts';
import type { Window } from './find/series.ts';
import { slopePerHour } from './find/slope.ts';
import { sparkline } from './sparkline.ts';
import type { Readings } from './wire.ts';

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
 * the point shows at most.
 */
export function numberDigestOf(
  readings: Readings,
  window: Window,
  pauseMs: number,
  decimals: number,
): NumberDigest {
  const { series } = readings;
  const shown = Math.min(decimals, decimalsOf(series.values));
  const bins = binned(series, pauseMs);
  return {
    ...levelIn(readings, window, pauseMs),
    ...findingsIn(series, bins, pauseMs, 10 ** -shown),
    slopePerHour: bins && slopePerHour(bins),
    spark: sparkline(series, window),
    decimals: shown,
  };
}

/** Of readings with at least one number. */
export function levelIn({ series, means }: Readings, window: Window, pauseMs: number): Level {
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

function decimalsOf(values: Float64Array): number {
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
