/** Numbers in order of time: `times` in ms since the epoch, `values` finite, one for each time. */
export type Series = { times: Float64Array; values: Float64Array };

/** What a series was asked for: from and to in ms since the epoch, and how often (ms) a value is due. */
export type Window = { from: number; to: number; intervalMs: number };

/** The element; NaN outside of the array. */
export const at = (numbers: Float64Array, index: number): number => numbers[index] ?? Number.NaN;

/** The series without the values that lie in one of the spans (ms, both ends included). */
export function without(
  { times, values }: Series,
  spans: readonly { from: number; to: number }[],
): Series {
  if (spans.length === 0) return { times, values };
  const stays = (_: number, index: number): boolean =>
    !spans.some(({ from, to }) => at(times, index) >= from && at(times, index) <= to);
  return { times: times.filter(stays), values: values.filter(stays) };
}
