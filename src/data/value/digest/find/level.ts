import { quantiles } from './order.ts';
import { at, type Series, type Window } from './series.ts';

/** A value and its time (ms). */
export type Sample = { time: number; value: number };

export type Level = {
  min: Sample;
  max: Sample;
  /** Each value counts until the next one, at most until its own is overdue; see `holdMs`. */
  mean: number;
  p5: number;
  p50: number;
  p95: number;
};

/** Shares of the values below `p5`, `p50` and `p95`. */
export const LEVELS = [0.05, 0.5, 0.95] as const;

/** How long (ms) a value counts: until the next, but across a gap for one interval only. */
function holdMs(
  { times }: Series,
  index: number,
  { to, intervalMs }: Window,
  pauseMs: number,
): number {
  const next = index + 1 < times.length ? at(times, index + 1) : Math.max(to, at(times, index));
  const distance = next - at(times, index);
  return distance > pauseMs ? intervalMs : distance;
}

/** Of a series that is not empty; the first of equal extremes. */
export function levelOf(series: Series, window: Window, pauseMs: number): Level {
  const { times, values } = series;
  let low = 0;
  let high = 0;
  let held = 0;
  let sum = 0;
  for (let index = 0; index < values.length; index += 1) {
    const value = at(values, index);
    if (value < at(values, low)) low = index;
    if (value > at(values, high)) high = index;
    const ms = holdMs(series, index, window, pauseMs);
    held += ms;
    sum += ms * value;
  }
  const sample = (index: number): Sample => ({ time: at(times, index), value: at(values, index) });
  const [p5 = NaN, p50 = NaN, p95 = NaN] = quantiles(values, LEVELS);
  return {
    min: sample(low),
    max: sample(high),
    mean: held > 0 ? sum / held : p50,
    p5,
    p50,
    p95,
  };
}
