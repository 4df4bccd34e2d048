import { at } from './series.ts';

/** Columns of a least-squares fit, made orthonormal one after the other; one that adds nothing is left out. */
class Fit {
  readonly #basis: Float64Array[] = [];

  constructor(columns: readonly Float64Array[]) {
    for (const column of columns) {
      const left = this.rest(column);
      const size = norm(left);
      if (size > 1e-6 * norm(column)) this.#basis.push(left.map((number) => number / size));
    }
  }

  /** What of the numbers the columns do not explain. */
  rest(numbers: Float64Array): Float64Array {
    const left = numbers.slice();
    for (const column of this.#basis) {
      const part = dot(left, column);
      for (let index = 0; index < left.length; index += 1)
        left[index] = at(left, index) - part * at(column, index);
    }
    return left;
  }

  /** The gain of one more column: how much of the squares of `rest` it explains, and its factor. */
  gain(rest: Float64Array, column: Float64Array): { squares: number; factor: number } {
    const own = this.rest(column);
    const size = dot(own, own);
    if (!(size > 1e-9 * dot(column, column))) return { squares: 0, factor: 0 };
    const factor = dot(rest, own) / size;
    return { squares: factor * factor * size, factor };
  }
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) sum += at(a, index) * at(b, index);
  return sum;
}

const norm = (numbers: Float64Array): number => Math.sqrt(dot(numbers, numbers));

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Parts of the window in which a drift is looked for: their noise is small. */
const PARTS = 48;
const MIN_PARTS = 16;
/** Parts at either end in which no beginning is looked for. */
const MARGIN = 3;
/** Ratio of what a drift explains to the noise, in standard deviations. */
const LIMIT = 6;

/** From `time` (ms) on the value changes by `perHour` more per hour than before. */
export type Drift = { time: number; perHour: number };

/**
 * Where a steady change begins that neither a constant slope nor the wave of a day explains as well; null without
 * one. `times` (ms) are those of the levels. Noise that lasts from part to part, as of a slow walk, is taken into account: a walk drifts by chance.
 */
export function driftIn(times: Float64Array, levels: Float64Array, step: number): Drift | null {
  const group = Math.max(1, Math.floor(levels.length / PARTS));
  const start = at(times, 0);
  const x = means(times, group).map((time) => (time - start) / HOUR_MS);
  const y = means(levels, group);
  if (x.length < MIN_PARTS) return null;
  const phase = x.map((hour) => ((start + hour * HOUR_MS) % DAY_MS) * ((2 * Math.PI) / DAY_MS));
  const straight = [x.map(() => 1), x];
  const wave = [...straight, phase.map(Math.sin), phase.map(Math.cos)];
  const without = bestRamp(x, y, straight);
  const beside = bestRamp(x, y, wave);
  const waveAlone = restOf(wave, y, without.memory);
  const isNoWave = without.squares * 1.1 < dot(waveAlone, waveAlone);
  const best = isNoWave ? without : beside;
  const change = Math.abs(best.factor) * (at(x, x.length - 1) - best.start);
  const least = Math.max(4 * best.noise, 3 * step);
  if (!(best.deviations > LIMIT) || change < least) return null;
  return { time: Math.round(start + best.start * HOUR_MS), perHour: best.factor };
}

/** A ramp beside other columns: where it starts (h), what is left of the squares, how sure it is. */
type Ramp = {
  start: number;
  factor: number;
  /** What it explains, in standard deviations of what is left. */
  deviations: number;
  squares: number;
  /** Standard deviation of what is left as it is. */
  noise: number;
  memory: number;
};

/** The ramp that explains most beside the columns, in noise with a memory. */
function bestRamp(x: Float64Array, y: Float64Array, columns: readonly Float64Array[]): Ramp {
  const first = strongest(x, y, columns, 0);
  const noise = restOf([...columns, rampAt(x, first.start)], y, 0);
  const memory = memoryOf(noise);
  const best = strongest(x, y, columns, memory);
  const rest = restOf([...columns, rampAt(x, best.start)], y, memory);
  const squares = dot(rest, rest);
  return {
    start: best.start,
    factor: best.factor,
    deviations: Math.sqrt((best.gain * (rest.length - columns.length - 1)) / squares),
    squares,
    noise: Math.sqrt(dot(noise, noise) / noise.length),
    memory,
  };
}

const rampAt = (x: Float64Array, start: number): Float64Array =>
  x.map((hour) => Math.max(0, hour - start));

function strongest(
  x: Float64Array,
  y: Float64Array,
  columns: readonly Float64Array[],
  memory: number,
): { start: number; gain: number; factor: number } {
  const fit = new Fit(columns.map((column) => renewed(column, memory)));
  const rest = fit.rest(renewed(y, memory));
  let best = { start: at(x, MARGIN), gain: 0, factor: 0 };
  for (const start of x.subarray(MARGIN, x.length - MARGIN)) {
    const { squares: gain, factor } = fit.gain(rest, renewed(rampAt(x, start), memory));
    if (gain > best.gain) best = { start, gain, factor };
  }
  return best;
}

const restOf = (columns: readonly Float64Array[], y: Float64Array, memory: number) =>
  new Fit(columns.map((column) => renewed(column, memory))).rest(renewed(y, memory));

/** Of each `group` numbers; what is left over at the end is left out. */
const means = (numbers: Float64Array, group: number): Float64Array =>
  Float64Array.from({ length: Math.floor(numbers.length / group) }, (_, part) => {
    const own = numbers.subarray(part * group, (part + 1) * group);
    return own.reduce((sum, number) => sum + number, 0) / group;
  });

/** How much of a deviation is still there in the next part (0 to 0.98). */
function memoryOf(noise: Float64Array): number {
  const products = dot(noise.subarray(1), noise.subarray(0, -1));
  const squares = dot(noise, noise);
  // A short series shows less of it than there is.
  const seen = squares > 0 ? products / squares + 4 / noise.length : 0;
  return Math.min(0.98, Math.max(0, seen));
}

/** Leaves of each number what is new in it, so that the noise of different parts is independent. */
const renewed = (numbers: Float64Array, memory: number): Float64Array =>
  numbers.map((number, index) =>
    index === 0
      ? number * Math.sqrt(1 - memory * memory)
      : number - memory * at(numbers, index - 1),
  );
