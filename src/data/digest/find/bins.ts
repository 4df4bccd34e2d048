import { median } from './order.ts';
import { at, type Series } from './series.ts';

const MAX_BINS = 240;
const VALUES_PER_BIN = 4;
/** Share of the usual number of values in a bin: a median of fewer is too uncertain. */
const FEWEST = 0.3;
/** Of a bin, for its median: evenly picked. */
const MAX_PICKED = 64;

/** Medians of equal parts of time from the first value to the last; NaN where a part is in a gap. */
export type Bins = { from: number; widthMs: number; medians: Float64Array };

/** Null with less than `MIN_BINS` parts of a few values each: too little to find anything in. */
export function binned({ times, values }: Series, pauseMs: number): Bins | null {
  const count = Math.min(MAX_BINS, Math.floor(times.length / VALUES_PER_BIN));
  const from = at(times, 0);
  const span = at(times, times.length - 1) - from;
  if (count < MIN_BINS || span <= 0) return null;
  const widthMs = span / count;
  const usual = times.length / count;
  const medians = new Float64Array(count);
  let start = 0;
  for (let bin = 0; bin < count; bin += 1) {
    const until = bin === count - 1 ? Infinity : from + (bin + 1) * widthMs;
    let end = start;
    while (end < times.length && (times[end] ?? NaN) < until) end += 1;
    const center = from + (bin + 0.5) * widthMs;
    const isHeld = start > 0 && center - at(times, start - 1) <= pauseMs;
    if (end - start >= FEWEST * usual) medians[bin] = median(picked(values, start, end));
    else medians[bin] = isHeld ? at(values, start - 1) : Number.NaN;
    start = end;
  }
  return { from, widthMs, medians };
}

const MIN_BINS = 20;

function picked(values: Float64Array, start: number, end: number): Float64Array {
  const step = Math.max(1, Math.ceil((end - start) / MAX_PICKED));
  const numbers = new Float64Array(Math.ceil((end - start) / step));
  for (let index = 0; index < numbers.length; index += 1)
    numbers[index] = values[start + index * step] ?? NaN;
  return numbers;
}

/** The bin of a time (ms), within the bins. */
export const binOf = ({ from, widthMs, medians }: Bins, time: number): number =>
  Math.min(medians.length - 1, Math.max(0, Math.floor((time - from) / widthMs)));

/** Each number replaced by the median of its neighbourhood (`reach` to either side), NaN left out. */
export const smoothed = (numbers: Float64Array, reach: number): Float64Array =>
  numbers.map((_, index) =>
    median(
      numbers
        .subarray(Math.max(0, index - reach), index + reach + 1)
        .filter((number) => !Number.isNaN(number)),
    ),
  );
