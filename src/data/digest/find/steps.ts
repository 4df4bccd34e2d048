import { quantile } from './order.ts';
import { at } from './series.ts';

/** How many bins to either side are compared; a step is as plain in long ones, a slope is not in short ones. */
const REACHES = [2, 4, 8, 16];
/** In standard deviations of the same comparison elsewhere in the series. */
const LIMIT = 5.5;
/** A step lasts: this many bins later, at least half of it is still there. */
const LASTING = 8;
/** Of a step, this share is there within this many bins. */
const SHARP = 2;
const SHARE = 0.6;
/** In standard deviations of the bins near it. */
const PLAIN = 3;
const NEAR = 5;
/** More are how the value behaves. */
const MAX_STEPS = 5;

/** The level is another by `by` from the bin `bin` on. */
export type Step = { bin: number; by: number };

type Found = Step & { ratio: number };

/**
 * Where the level changes at once and stays, by the bin; differences that are common in the series (its noise, its
 * slope, its switching) are none. `step` is the smallest difference between two values.
 */
export function stepsIn(levels: Float64Array, step: number): { steps: Step[]; rest: Float64Array } {
  const rest = levels.slice();
  const steps: Step[] = [];
  while (steps.length <= MAX_STEPS) {
    const found = largest(rest, step);
    if (!found) break;
    for (let bin = found.bin; bin < rest.length; bin += 1) rest[bin] = at(rest, bin) - found.by;
    steps.push({ bin: found.bin, by: found.by });
  }
  steps.sort((a, b) => a.bin - b.bin);
  if (steps.length > MAX_STEPS || isSwitching(steps)) return { steps: [], rest: levels };
  return { steps, rest };
}

function largest(levels: Float64Array, step: number): Found | null {
  let best: Found | null = null;
  for (const reach of REACHES) {
    if (reach * 8 > levels.length) break;
    const jumps = jumpsOf(levels, reach);
    const sizes = jumps.map(Math.abs);
    const bin = sizes.reduce((top, size, index) => (size > at(sizes, top) ? index : top), 0);
    const size = at(sizes, bin);
    // A step is also seen from as far as it is compared with its surroundings.
    const isElsewhere = (_: number, index: number): boolean => Math.abs(index - bin) >= 3 * reach;
    const elsewhere = sizes.filter(isElsewhere).toSorted();
    const usual = Math.max(
      1.4826 * quantile(elsewhere, 0.5),
      quantile(elsewhere, 0.9) / 1.645,
      step / 2,
    );
    const by = difference(levels, bin, LASTING);
    const isPlain = Math.abs(by) > Math.max(size / 2, PLAIN * scatter(levels, bin));
    // A slope gains in width.
    const isSharp = difference(levels, bin, SHARP) / by > SHARE;
    if (size < LIMIT * usual || !isPlain || !isSharp || by * at(jumps, bin) < 0) continue;
    if (!best || size / usual > best.ratio) best = { bin, by, ratio: size / usual };
  }
  return best;
}

/** How much more the level changes at each bin than before and after it: a slope is no jump. */
function jumpsOf(levels: Float64Array, reach: number): Float64Array {
  const inside = (bin: number): boolean => bin >= reach && bin <= levels.length - reach;
  const differences = levels.map((_, bin) => (inside(bin) ? difference(levels, bin, reach) : 0));
  return differences.map((difference, bin) => {
    if (!inside(bin)) return 0;
    const around = [bin - 2 * reach, bin + 2 * reach].filter(inside);
    return difference - mean(Float64Array.from(around, (one) => at(differences, one)));
  });
}

const difference = (levels: Float64Array, bin: number, reach: number): number =>
  mean(levels.subarray(bin, bin + reach)) - mean(levels.subarray(Math.max(0, bin - reach), bin));

const mean = (numbers: Float64Array): number =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/** The larger standard deviation of the levels before and from the bin on. */
const scatter = (levels: Float64Array, bin: number): number =>
  Math.max(
    deviation(levels.subarray(Math.max(0, bin - NEAR), bin)),
    deviation(levels.subarray(bin, bin + NEAR)),
  );

function deviation(levels: Float64Array): number {
  const center = mean(levels);
  return Math.sqrt(mean(levels.map((level) => (level - center) ** 2)));
}

/** Up and down again by similar amounts: a control, not a fault. */
function isSwitching(steps: readonly Step[]): boolean {
  const sizes = steps.map(({ by }) => Math.abs(by));
  const alternates = steps.every(
    ({ by }, rank) => rank === 0 || by * (steps[rank - 1]?.by ?? 0) < 0,
  );
  return steps.length >= 3 && alternates && Math.max(...sizes) < 2 * Math.min(...sizes);
}
