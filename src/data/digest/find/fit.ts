import { at } from './series.ts';

/** Columns of a least-squares fit, made orthonormal one after the other; one that adds nothing is left out. */
export class Fit {
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

export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) sum += at(a, index) * at(b, index);
  return sum;
}

const norm = (numbers: Float64Array): number => Math.sqrt(dot(numbers, numbers));
