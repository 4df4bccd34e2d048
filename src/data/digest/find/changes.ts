import type { Bins } from './bins.ts';
import { driftIn } from './drifts.ts';
import { at, type Series } from './series.ts';
import { stepsIn } from './steps.ts';

const MAX_CHANGES = 5;
/** Values that are looked at for the smallest difference. */
const MAX_DIFFERENCES = 5_000;
/** Of a series that changes more seldom, a difference is a change, not a step of its sensor. */
const MIN_DIFFERENCES = 10;

/** Where a series begins to behave in another way: a level that stays, or a steady change. Time in ms. */
export type Change =
  | { kind: 'step'; time: number; by: number }
  | { kind: 'drift'; time: number; perHour: number };

/** At most five, in order of time. `decimal` is the smallest difference that the point shows. */
export function changesIn(series: Series, bins: Bins, decimal: number): Change[] {
  const levels = bridged(bins.medians);
  const timeOf = (bin: number): number => Math.round(bins.from + bin * bins.widthMs);
  const step = Math.max(decimal, smallestDifference(series));
  const { steps, rest } = stepsIn(levels, step);
  const middles = levels.map((_, bin) => timeOf(bin + 0.5));
  const drift = driftIn(middles, rest, step);
  const changes: Change[] = steps.map(({ bin, by }) => ({ kind: 'step', time: timeOf(bin), by }));
  if (drift) changes.push({ kind: 'drift', ...drift });
  return changes.toSorted((a, b) => a.time - b.time).slice(0, MAX_CHANGES);
}

/** A straight line in place of each gap, whose ends are known. */
function bridged(levels: Float64Array): Float64Array {
  const whole = levels.slice();
  let last = 0;
  for (let bin = 1; bin < levels.length; bin += 1) {
    if (Number.isNaN(at(levels, bin))) continue;
    const slope = (at(levels, bin) - at(levels, last)) / (bin - last);
    for (let one = last + 1; one < bin; one += 1)
      whole[one] = at(levels, last) + slope * (one - last);
    last = bin;
  }
  return whole.subarray(0, last + 1);
}

/** Between values that follow each other; 0 when they rarely differ. */
function smallestDifference({ values }: Series): number {
  let smallest = Infinity;
  let seen = 0;
  for (let index = 1; index < Math.min(values.length, MAX_DIFFERENCES); index += 1) {
    const difference = Math.abs(at(values, index) - at(values, index - 1));
    if (difference === 0) continue;
    seen += 1;
    smallest = Math.min(smallest, difference);
  }
  return seen < MIN_DIFFERENCES ? 0 : smallest;
}
