import { at } from './series.ts';

/** The share `part` (0 to 1) of numbers in ascending order, interpolated; NaN of none. */
export function quantile(sorted: Float64Array, part: number): number {
  const place = (sorted.length - 1) * part;
  const below = Math.floor(place);
  const low = at(sorted, below);
  const rest = place - below;
  return rest === 0 ? low : low + rest * (at(sorted, below + 1) - low);
}

export const median = (numbers: Float64Array): number => quantile(numbers.toSorted(), 0.5);

/** Standard deviation of normal noise with the same median distance from `center`. */
export const spread = (numbers: Float64Array, center = 0): number =>
  1.4826 * median(numbers.map((number) => Math.abs(number - center)));
