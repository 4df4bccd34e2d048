import { Quality } from '../../../bus/topic/topics.ts';
import type { HourValue } from '../hour.ts';

/** Of a closed row; what follows `numbers` is of the numbers that are not bad, null without any. Times in ms after the start. */
export type Statistics = {
  count: number;
  bad: number;
  numbers: number;
  lowest: number | null;
  highest: number | null;
  total: number | null;
  first: number | null;
  last: number | null;
  increase: number | null;
  firstMs: number | null;
  lastMs: number | null;
  /** Of the newest value that is not bad, in microseconds since the epoch. */
  goodAt: number | null;
};

/** Of values, none before `start` (microseconds), in order of time. */
export function statisticsOf(start: number, values: readonly HourValue[]): Statistics {
  const of: Statistics = {
    count: values.length,
    bad: 0,
    numbers: 0,
    lowest: null,
    highest: null,
    total: null,
    first: null,
    last: null,
    increase: null,
    firstMs: null,
    lastMs: null,
    goodAt: null,
  };
  for (const { at, numValue, quality } of values) {
    if (quality === Quality.BAD) {
      of.bad += 1;
      continue;
    }
    of.goodAt = at;
    if (numValue === null) continue;
    const ms = Math.floor((at - start) / 1_000);
    of.numbers += 1;
    of.lowest = Math.min(of.lowest ?? numValue, numValue);
    of.highest = Math.max(of.highest ?? numValue, numValue);
    of.total = (of.total ?? 0) + numValue;
    of.increase = of.last === null ? 0 : (of.increase ?? 0) + increaseOf(of.last, numValue);
    of.first ??= numValue;
    of.firstMs ??= ms;
    of.last = numValue;
    of.lastMs = ms;
  }
  return of;
}

/** A counter that is lower than before has begun again. */
const increaseOf = (before: number, number: number): number =>
  number >= before ? number - before : number;
