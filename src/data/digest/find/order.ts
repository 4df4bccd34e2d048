import { at } from './series.ts';

/** The share `part` (0 to 1) of numbers in ascending order, interpolated; NaN of none. */
export function quantile(sorted: Float64Array, part: number): number {
  const place = (sorted.length - 1) * part;
  const below = Math.floor(place);
  const low = at(sorted, below);
  const rest = place - below;
  return rest === 0 ? low : low + rest * (at(sorted, below + 1) - low);
}

/** Used again: a copy of a day of seconds for each call would be most of the garbage of a digest. */
let copies = new Float64Array(0);

/** `quantile` of each of `parts`, which ascend, of numbers in any order: much cheaper than to sort many of them. */
export function quantiles(numbers: Float64Array, parts: readonly number[]): number[] {
  if (copies.length < numbers.length) copies = new Float64Array(numbers.length);
  const own = copies.subarray(0, numbers.length);
  own.set(numbers);
  let start = 0;
  return parts.map((part) => {
    const place = (own.length - 1) * part;
    const below = Math.floor(place);
    arrange(own, start, below);
    start = below;
    const low = at(own, below);
    const rest = place - below;
    return rest === 0 ? low : low + rest * (leastFrom(own, below + 1) - low);
  });
}

/**
 * Moves numbers from `start` on so that none before `place` is larger and none after it smaller (introselect): never
 * much slower than to sort them, in whatever order they come: once its partitions have looked at each number `looks`
 * times on average, it sorts what is left. Returns how many numbers they looked at.
 */
export function arrange(numbers: Float64Array, start: number, place: number, looks = 6): number {
  let low = start;
  let high = numbers.length - 1;
  let looked = 0;
  const most = (numbers.length - start) * looks;
  while (low < high) {
    looked += high - low + 1;
    if (looked > most) {
      numbers.subarray(low, high + 1).sort();
      return most;
    }
    const pivot = ninther(numbers, low, high);
    let up = low;
    let down = high;
    while (up <= down) {
      while ((numbers[up] ?? NaN) < pivot) up += 1;
      while ((numbers[down] ?? NaN) > pivot) down -= 1;
      if (up > down) break;
      const number = numbers[up] ?? NaN;
      numbers[up] = numbers[down] ?? NaN;
      numbers[down] = number;
      up += 1;
      down -= 1;
    }
    if (place <= down) high = down;
    else if (place >= up) low = up;
    else return looked;
  }
  return looked;
}

/** The median of three medians of three: numbers that rise and fall once have their extremes at the ends and the middle. */
function ninther(numbers: Float64Array, low: number, high: number): number {
  const eighth = (high - low) / 8;
  const sample = (index: number): number => at(numbers, low + Math.floor(eighth * index));
  return middle(
    middle(sample(0), sample(1), sample(2)),
    middle(sample(3), sample(4), sample(5)),
    middle(sample(6), sample(7), sample(8)),
  );
}

const middle = (one: number, two: number, three: number): number =>
  Math.max(Math.min(one, two), Math.min(Math.max(one, two), three));

function leastFrom(numbers: Float64Array, start: number): number {
  let least = Infinity;
  for (let index = start; index < numbers.length; index += 1) {
    const number = numbers[index] ?? NaN;
    if (number < least) least = number;
  }
  return least;
}

export const median = (numbers: Float64Array): number => quantile(numbers.toSorted(), 0.5);

/** Standard deviation of normal noise with the same median distance from `center`. */
export const spread = (numbers: Float64Array, center = 0): number =>
  1.4826 * median(numbers.map((number) => Math.abs(number - center)));
