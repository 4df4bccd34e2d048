import { type Arrivals, isAbout } from './find/gaps.ts';
import { median } from './find/order.ts';
import { at, type Series } from './find/series.ts';

/** What is stored of a point in a span, and how much of it. */
export type Readings = {
  /** Numbers only. */
  series: Series;
  arrivals: Arrivals;
  quality: { count: number; uncertain: number; bad: number };
  /** Means of short parts of the time where `series` holds only the extremes of each. */
  means?: Float64Array;
};

/** Milliseconds from the epoch to that of the server's times. */
const SERVER_EPOCH_MS = Date.UTC(2000, 0);
/** Distances between values that are looked at for the usual one. */
const MAX_DISTANCES = 1_000;
/** Fewer say nothing about the usual one. */
const MIN_DISTANCES = 10;
/** Share of the distances that are about the usual one where values come regularly. */
const REGULAR = 0.75;

/**
 * Values of a slice at most, and the bytes of each number of it. A text of so many is a large object of the heap: a
 * collection of the young generation does not copy it.
 */
export const SLICE_VALUES = 16_384;
export const VALUE_BYTES = 8;

/** Values from the index `start` on: times in microseconds and numbers (NaN: none), in hexadecimal. Null of none. */
export type Slice = { start: number | null; times: string | null; numbers: string | null };

// Used again: a buffer for each slice would be megabytes of a day, and a collection of all garbage every few days.
const micros = new DataView(new ArrayBuffer(SLICE_VALUES * VALUE_BYTES));
const numbered = new DataView(new ArrayBuffer(SLICE_VALUES * VALUE_BYTES));
const microsBytes = Buffer.from(micros.buffer);
const numberBytes = Buffer.from(numbered.buffer);

/** Of `count` values in order of time, which come in slices. */
export function decodeSeries(
  count: number,
  slices: readonly Slice[],
): Pick<Readings, 'series' | 'arrivals'> {
  const series = { times: new Float64Array(count), values: new Float64Array(count) };
  for (const slice of slices) decodeSlice(slice, series);
  return seriesReadings(series.times, series.values);
}

/** Of values in order of time (ms); NaN: no number. */
export const seriesReadings = (
  times: Float64Array,
  values: Float64Array,
): Pick<Readings, 'series' | 'arrivals'> => ({
  series: finite({ times, values }),
  arrivals: { from: times, to: times, ...usualDistance(times) },
});

function decodeSlice({ start, times, numbers }: Slice, series: Series): void {
  if (start === null || times === null || numbers === null) return;
  const length = microsBytes.write(times, 'hex');
  if (numberBytes.write(numbers, 'hex') !== length) throw new Error('a slice lacks values');
  for (let offset = 0; offset < length; offset += VALUE_BYTES) {
    const index = start + offset / VALUE_BYTES;
    const time = micros.getInt32(offset) * 2 ** 32 + micros.getUint32(offset + 4);
    series.times[index] = SERVER_EPOCH_MS + Math.floor(time / 1000);
    series.values[index] = numbered.getFloat64(offset);
  }
}

const FIELDS = 12;

/** As `partReadings`, of the numbers as the server sends them. */
export function decodeBuckets(bytes: Buffer): Readings {
  const fields = new Float64Array(bytes.byteLength / 8);
  for (let index = 0; index < fields.length; index += 1)
    fields[index] = bytes.readDoubleBE(index * 8);
  return partReadings(fields);
}

/**
 * Of parts of the time, twelve numbers each: how many values, uncertain ones, bad ones; the first and the last time;
 * the mean; lowest value, its time; highest value, its time; the longest distance within, and when it began.
 */
export function partReadings(fields: Float64Array): Readings {
  const quality = { count: 0, uncertain: 0, bad: 0 };
  const spans: [from: number, to: number][] = [];
  const extremes: [time: number, value: number][] = [];
  const means: number[] = [];
  const longest: number[] = [];
  let spanMs = 0;
  let distances = 0;
  for (let start = 0; start < fields.length; start += FIELDS) {
    const part = fields.subarray(start, start + FIELDS);
    const [count = 0, uncertain = 0, bad = 0, first = 0, last = 0, mean = 0] = part;
    const [low = 0, lowAt = 0, high = 0, highAt = 0, pauseMs = 0, pauseAt = 0] = part.subarray(6);
    quality.count += count;
    quality.uncertain += uncertain;
    quality.bad += bad;
    spanMs += last - first;
    distances += Math.max(0, count - 1);
    longest.push(pauseMs);
    if (pauseAt >= first) spans.push([first, pauseAt], [pauseAt + pauseMs, last]);
    else spans.push([first, last]);
    if (Number.isNaN(mean)) continue;
    means.push(mean);
    extremes.push([lowAt, low]);
    if (highAt !== lowAt) extremes.push([highAt, high]);
  }
  extremes.sort(([a], [b]) => a - b);
  const usualMs = spanMs / Math.max(1, distances);
  return {
    series: {
      times: Float64Array.from(extremes, ([time]) => time),
      values: Float64Array.from(extremes, ([, value]) => value),
    },
    arrivals: {
      from: Float64Array.from(spans, ([from]) => from),
      to: Float64Array.from(spans, ([, to]) => to),
      usualMs,
      isRegular: areAbout(Float64Array.from(longest), usualMs),
    },
    quality,
    means: Float64Array.from(means),
  };
}

function finite({ times, values }: Series): Series {
  if (!values.includes(NaN)) return { times, values };
  const isKnown = (_: number, index: number): boolean => !Number.isNaN(at(values, index));
  return { times: times.filter(isKnown), values: values.filter(isKnown) };
}

/** The median distance between times; 0 of too few. */
function usualDistance(times: Float64Array): Pick<Arrivals, 'usualMs' | 'isRegular'> {
  const last = times.length - 1;
  if (last < MIN_DISTANCES) return { usualMs: 0, isRegular: false };
  const count = Math.min(last, MAX_DISTANCES);
  const distances = Float64Array.from({ length: count }, (_, index) => {
    const place = Math.floor((index * last) / count);
    return at(times, place + 1) - at(times, place);
  });
  const usualMs = median(distances);
  return { usualMs, isRegular: areAbout(distances, usualMs) };
}

const areAbout = (distances: Float64Array, usualMs: number): boolean =>
  usualMs > 0 &&
  distances.filter((ms) => isAbout(ms, usualMs)).length >= REGULAR * distances.length;
