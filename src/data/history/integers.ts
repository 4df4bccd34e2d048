import { type ByteReader, type ByteWriter, varintLength } from './bytes.ts';

/** How integers are written: as they are, as differences, or as differences of differences; each also in runs. */
const ORDERS = [0, 1, 2] as const;
const IN_RUNS = 4;
/** Multiples of a thousand: milliseconds among microseconds. */
const THOUSANDS = 8;
/** The largest integer that is written: twice the difference of two is still exact. */
export const MAX_INTEGER = 2 ** 51;

/** Writes integers in the shortest of the forms. Throws RangeError for one beyond `MAX_INTEGER`. */
export function writeIntegers(to: ByteWriter, integers: readonly number[]): void {
  const isScaled = integers.every((integer) => integer % 1_000 === 0);
  const scaled = isScaled ? integers.map((integer) => integer / 1_000) : integers;
  let best: { steps: Float64Array; form: number; length: number } | null = null;
  for (const order of ORDERS) {
    const steps = stepsOf(scaled, order);
    if (!steps) continue;
    const { plain, inRuns } = lengthsOf(steps);
    const length = Math.min(plain, inRuns);
    if (best && best.length <= length) continue;
    best = { steps, form: order | (inRuns < plain ? IN_RUNS : 0), length };
  }
  if (!best) throw new RangeError('integers are too large for a closed hour');
  to.byte(best.form | (isScaled ? THOUSANDS : 0));
  if (best.form & IN_RUNS) writeRuns(to, best.steps);
  else for (const step of best.steps) to.varint(step);
}

/** Bytes that the steps need one by one, and in runs of equal ones. */
function lengthsOf(steps: Float64Array): { plain: number; inRuns: number } {
  let plain = 0;
  let inRuns = 0;
  let start = 0;
  for (let index = 0; index < steps.length; index += 1) {
    const bytes = varintLength(steps[index] ?? 0);
    plain += bytes;
    if (index + 1 < steps.length && steps[index + 1] === steps[index]) continue;
    inRuns += bytes + varintLength(index + 1 - start);
    start = index + 1;
  }
  return { plain, inRuns };
}

/** Differences of the order, their sign in the lowest bit; null where one is too large. */
function stepsOf(integers: readonly number[], order: 0 | 1 | 2): Float64Array | null {
  const steps = new Float64Array(integers.length);
  let before = 0;
  let stepBefore = 0;
  for (let index = 0; index < integers.length; index += 1) {
    const integer = integers[index] ?? 0;
    const difference = integer - before;
    const step = [integer, difference, difference - stepBefore][order] ?? 0;
    if (Math.abs(step) > MAX_INTEGER) return null;
    steps[index] = step < 0 ? -2 * step - 1 : 2 * step;
    before = integer;
    // The first one has no difference yet.
    stepBefore = index === 0 ? 0 : difference;
  }
  return steps;
}

function writeRuns(to: ByteWriter, steps: Float64Array): void {
  for (let index = 0; index < steps.length;) {
    const step = steps[index] ?? 0;
    let end = index + 1;
    while (end < steps.length && steps[end] === step) end += 1;
    to.varint(step);
    to.varint(end - index);
    index = end;
  }
}

/** Most columns of quality and kind: one piece of memory for all of them. */
const ZEROS = new Float64Array(1_024);

/** Reads `count` integers, each on top of `base`, into an array where one is given; else the array is to be read only. */
export function readIntegers(
  from: ByteReader,
  count: number,
  base = 0,
  to?: Float64Array,
): Float64Array {
  const form = from.byte();
  const order = form & 3;
  const factor = form & THOUSANDS ? 1_000 : 1;
  let integers = to;
  let before = 0;
  let difference = 0;
  for (let index = 0; index < count;) {
    const written = from.varint();
    const step = written % 2 === 1 ? -(written + 1) / 2 : written / 2;
    const end = form & IN_RUNS ? Math.min(count, index + from.varint()) : index + 1;
    const isZero = order === 0 && step === 0 && base === 0;
    if (!to && isZero && end - index === count && count <= ZEROS.length)
      return ZEROS.subarray(0, count);
    integers ??= new Float64Array(count);
    if (order === 0) integers.fill(base + step * factor, index, end);
    else
      for (let place = index; place < end; place += 1) {
        difference = order === 2 ? difference + step : step;
        before += difference;
        // The first one has no difference yet.
        if (place === 0) difference = 0;
        integers[place] = base + before * factor;
      }
    index = end;
  }
  return integers ?? new Float64Array(count);
}
