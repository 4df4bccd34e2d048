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
  const longest: Run[] = [];
  let first = 0;
  let value = at(values, 0);
  for (let next = 1; next <= values.length; next += 1) {
    const following = next < values.length ? (values[next] ?? NaN) : NaN;
    const isSame = following === value;
    value = following;
    if (isSame && at(times, next) - at(times, next - 1) <= pauseMs) continue;
    keepLongest(longest, first, next - 1);
    first = next;
  }
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

type Run = { start: number; end: number };

/** The first of equal ones; most are as short as those that are kept already, and cost nothing. */
function keepLongest(longest: Run[], start: number, end: number): void {
  const shortest = longest[MAX_LINES];
  if (shortest && end - start < shortest.end - shortest.start + 1) return;
  longest.push({ start, end });
  longest.sort((a, b) => lengthOf(b) - lengthOf(a));
  if (longest.length > MAX_LINES + 1) longest.pop();
}

const lengthOf = ({ start, end }: Run): number => end - start + 1;
