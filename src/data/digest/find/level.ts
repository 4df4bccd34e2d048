import { quantiles } from './order.ts';
import { at, type Series, type Window } from './series.ts';

/** A value and its time (ms). */
export type Sample = { time: number; value: number };

export type Level = {
  min: Sample;
  max: Sample;
  /** Each value counts until the next one, at most until its own is overdue. */
  mean: number;
  p5: number;
  p50: number;
  p95: number;
};

/** Shares of the values below `p5`, `p50` and `p95`. */
export const LEVELS = [0.05, 0.5, 0.95] as const;

/** Of a series that is not empty; the first of equal extremes. */
export function levelOf({ times, values }: Series, window: Window, pauseMs: number): Level {
  let low = 0;
  let high = 0;
  let held = 0;
  let sum = 0;
  const count = values.length;
  let time = at(times, 0);
  let least = Infinity;
  let most = -Infinity;
  for (let index = 0; index < count; index += 1) {
    const value = values[index] ?? NaN;
    if (value < least) {
      least = value;
      low = index;
    }
    if (value > most) {
      most = value;
      high = index;
    }
    const next = index + 1 < count ? (times[index + 1] ?? NaN) : Math.max(window.to, time);
    // Until the next one, but across a gap for one interval only.
    const ms = next - time > pauseMs ? window.intervalMs : next - time;
    held += ms;
    sum += ms * value;
    time = next;
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
