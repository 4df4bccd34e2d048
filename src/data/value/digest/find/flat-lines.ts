import { at, type Series } from './series.ts';

const MAX_LINES = 3;
const MIN_VALUES = 20;
/** Times as long as the longest run of equal values that is none. */
const LONGER = 5;

/** The same value from `from` to `to` (ms), in a series that otherwise changes. */
export type FlatLine = { from: number; to: number; s: number; value: number };

/**
 * Runs of one value that are far longer than all others, at most three, in order of time. A series whose runs are
 * all long, as of a set-point or a switch, has none.
 */
export function flatLinesIn({ times, values }: Series, pauseMs: number): FlatLine[] {
  const runs: { start: number; end: number }[] = [];
  for (let index = 0; index < values.length; index += 1) {
    const open = runs.at(-1);
    const isSame = open && at(values, index) === at(values, open.end);
    if (isSame && at(times, index) - at(times, open.end) <= pauseMs) open.end = index;
    else runs.push({ start: index, end: index });
  }
  const longest = runs.toSorted((a, b) => lengthOf(b) - lengthOf(a)).slice(0, MAX_LINES + 1);
  const lengths = longest.map(lengthOf);
  const stands = lengths.findLastIndex(
    (length, rank) =>
      rank < MAX_LINES &&
      length >= MIN_VALUES &&
      length >= LONGER * (lengths[rank + 1] ?? Infinity),
  );
  return longest
    .slice(0, stands + 1)
    .toSorted((a, b) => a.start - b.start)
    .map(({ start, end }) => ({
      from: at(times, start),
      to: at(times, end),
      s: (at(times, end) - at(times, start)) / 1000,
      value: at(values, start),
    }));
}

const lengthOf = ({ start, end }: { start: number; end: number }): number => end - start + 1;
