/** Numbers in order of time: `times` in ms since the epoch, `values` finite, one for each time. */
export type Series = { times: Float64Array; values: Float64Array };

/** What a series was asked for: from and to in ms since the epoch, and how often (ms) a value is due. */
export type Window = { from: number; to: number; intervalMs: number };

/**
 * The element; NaN outside of the array. Never reads there: from the first such read on, the engine gives each number
 * that any caller reads a place on the heap.
 */
export const at = (numbers: Float64Array, index: number): number =>
  index >= 0 && index < numbers.length ? (numbers[index] ?? NaN) : NaN;

/** The series without the values that lie in one of the spans (ms, both ends included). */
export function without(series: Series, spans: readonly { from: number; to: number }[]): Series {
  if (spans.length === 0) return series;
  const { times, values } = series;
  const kept = { times: times.slice(), values: values.slice() };
  let length = 0;
  for (let index = 0; index < times.length; index += 1) {
    const time = at(times, index);
    if (spans.some(({ from, to }) => time >= from && time <= to)) continue;
    kept.times[length] = time;
    kept.values[length] = at(values, index);
    length += 1;
  }
  return { times: kept.times.slice(0, length), values: kept.values.slice(0, length) };
}
