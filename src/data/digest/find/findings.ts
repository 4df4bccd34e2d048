import { binned, type Bins } from './bins.ts';
import { driftIn } from './drifts.ts';
import { at, type Series, without } from './series.ts';
import { type Spike, spikesIn } from './spikes.ts';
import { stepsIn } from './steps.ts';

const MAX_LINES = 3;
const MIN_VALUES = 20;
/** Times as long as the longest run of equal values that is none. */
const LONGER = 5;

/** The same value from `from` to `to` (ms), in a series that otherwise changes. */
type FlatLine = { from: number; to: number; s: number; value: number };

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

/** Longer than any night where plants are: what rests on at the edge of a window may have stopped working. */
const NIGHT_MS = 16 * 3_600_000;
/** Share of its span, as a divisor, from which a series comes down to 0 step by step. */
const NEAR_ZERO = 6;

/**
 * Whether this is a rest at 0, as of an inverter at night: 0 is the lowest value, and the series comes down to it and rises
 * from it by a slope. A sensor that stops working jumps.
 */
function isRest({ times, values }: Series, { from, to, value }: FlatLine): boolean {
  if (value !== 0) return false;
  let highest = 0;
  for (const one of values) {
    if (one < 0) return false;
    highest = Math.max(highest, one);
  }
  const beside = [values[times.indexOf(from) - 1], values[times.indexOf(to) + 1]];
  const known = beside.filter((one) => one !== undefined);
  if (known.length < beside.length && to - from > NIGHT_MS) return false;
  return known.length > 0 && known.every((one) => one <= highest / NEAR_ZERO);
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

const MAX_CHANGES = 5;
/** Values that are looked at for the smallest difference. */
const MAX_DIFFERENCES = 5_000;
/** Of a series that changes more seldom, a difference is a change, not a step of its sensor. */
const MIN_DIFFERENCES = 10;

/** Where a series begins to behave in another way: a level that stays, or a steady change. Time in ms. */
type Change =
  | { kind: 'step'; time: number; by: number }
  | { kind: 'drift'; time: number; perHour: number };

/** At most five, in order of time. `decimal` is the smallest difference that the point shows. */
function changesIn(series: Series, bins: Bins, decimal: number): Change[] {
  const levels = bridged(bins.medians);
  const timeOf = (bin: number): number => Math.round(bins.from + bin * bins.widthMs);
  const step = Math.max(decimal, smallestDifference(series));
  const { steps, rest } = stepsIn(levels, step);
  const middles = levels.map((_, bin) => timeOf(bin + 0.5));
  const drift = driftIn(middles, rest, step);
  const changes: Change[] = steps.map(({ bin, by }) => ({ kind: 'step', time: timeOf(bin), by }));
  if (drift) changes.push({ kind: 'drift', ...drift });
  return changes.toSorted((a, b) => a.time - b.time).slice(0, MAX_CHANGES);
}

/** A straight line in place of each gap, whose ends are known. */
function bridged(levels: Float64Array): Float64Array {
  const whole = levels.slice();
  let last = 0;
  for (let bin = 1; bin < levels.length; bin += 1) {
    if (Number.isNaN(at(levels, bin))) continue;
    const slope = (at(levels, bin) - at(levels, last)) / (bin - last);
    for (let one = last + 1; one < bin; one += 1)
      whole[one] = at(levels, last) + slope * (one - last);
    last = bin;
  }
  return whole.subarray(0, last + 1);
}

/** Between values that follow each other; 0 when they rarely differ. */
function smallestDifference({ values }: Series): number {
  let smallest = Infinity;
  let seen = 0;
  for (let index = 1; index < Math.min(values.length, MAX_DIFFERENCES); index += 1) {
    const difference = Math.abs(at(values, index) - at(values, index - 1));
    if (difference === 0) continue;
    seen += 1;
    smallest = Math.min(smallest, difference);
  }
  return seen < MIN_DIFFERENCES ? 0 : smallest;
}

export type Findings = { spikes: Spike[]; flats: FlatLine[]; changes: Change[] };

/**
 * What an operator would point at in a series with the bins `whole`; `pauseMs` is the longest distance of values that is no gap, `decimal`
 * the smallest difference that the point shows.
 */
export function findingsIn(
  series: Series,
  whole: Bins | null,
  pauseMs: number,
  decimal: number,
): Findings {
  const binsOf = (one: Series): Bins | null => (one === series ? whole : binned(one, pauseMs));
  const flats = flatLinesIn(series, pauseMs);
  const moving = without(series, flats);
  const usual = binsOf(moving);
  const excursions = usual ? spikesIn(moving, usual, decimal) : [];
  const calm = without(series, [...excursions, ...flats]);
  const levels = binsOf(calm);
  const changes = levels ? changesIn(calm, levels, decimal) : [];
  // What leads over an edge is part of the step, as long as the usual level before and after it was not clear.
  const edges = changes.filter(({ kind }) => kind === 'step').map(({ time }) => time);
  const edgeMs = spanOf(series) / EDGE;
  const spikes = excursions.filter(
    ({ from, to }) => !edges.some((edge) => edge > from - edgeMs && edge < to + edgeMs),
  );
  return { spikes, flats: flats.filter((flat) => !isRest(series, flat)), changes };
}

/** Share of the series, as a divisor, that belongs to the edge of a step. */
const EDGE = 80;

const spanOf = ({ times }: Series): number => (times.at(-1) ?? 0) - (times[0] ?? 0);
