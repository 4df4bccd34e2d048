import type { Sample } from './find/level.ts';
import { at, type Series } from './find/series.ts';

/**
 * At most `max` values, oldest first: of equal parts of the time the lowest and the highest each, so that no extreme
 * is lost.
 */
export function sampled({ times, values }: Series, max: number): Sample[] {
  const all = (index: number): Sample => ({ time: at(times, index), value: at(values, index) });
  if (times.length <= max) return [...times.keys()].map(all);
  if (max < 2) return max < 1 ? [] : [all(times.length - 1)];
  const parts = Math.floor(max / 2);
  const from = at(times, 0);
  const widthMs = (at(times, times.length - 1) - from) / parts;
  const extremes = Array.from({ length: parts }, (): [number, number] => [-1, -1]);
  for (let index = 0; index < times.length; index += 1) {
    const place = Math.floor((at(times, index) - from) / widthMs);
    const part = extremes[Math.min(parts - 1, place)];
    if (!part) continue;
    const [low, high] = part;
    if (low < 0 || at(values, index) < at(values, low)) part[0] = index;
    if (high < 0 || at(values, index) > at(values, high)) part[1] = index;
  }
  const kept = new Set(extremes.flat().filter((index) => index >= 0));
  return [...kept].toSorted((a, b) => a - b).map(all);
}

/**
 * At most `max` values, oldest first, even in time: of moments at the same distance what the value was then. A table or a
 * mean made of them is true, as one of extremes is not.
 */
export function evenly({ times, values }: Series, max: number): Sample[] {
  const last = times.length - 1;
  const all = (index: number): Sample => ({ time: at(times, index), value: at(values, index) });
  if (times.length <= max) return [...times.keys()].map(all);
  if (max < 2) return max < 1 ? [] : [all(last)];
  const [from, to] = [at(times, 0), at(times, last)];
  const found: number[] = [];
  let index = 0;
  for (let row = 0; row < max; row += 1) {
    const moment = from + ((to - from) * row) / (max - 1);
    while (index < last && at(times, index + 1) <= moment) index += 1;
    if (found.at(-1) !== index) found.push(index);
  }
  return found.map(all);
}
