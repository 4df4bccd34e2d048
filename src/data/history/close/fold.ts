import { setImmediate } from 'node:timers/promises';

import { type ClosedHour, merged, valuesOf } from '../closed.ts';
import { decodeHour, encodeHour, type HourValue } from '../hour.ts';
import type { HotValue } from './hot.ts';
import type { Group } from './part.ts';
import { type Statistics, statisticsOf } from './statistics.ts';

/** Values of a row, or more of one millisecond. */
const MAX_OF_ROW = 1_000;
/** Values that are compared until others have their turn. */
const COMPARED_AT_ONCE = 500;

/** A row to be written. Times in microseconds since the epoch, `start` in ms. */
export type Closing = {
  deviceId: string;
  pointId: string;
  start: number;
  end: number;
  received: number;
  driverId: string;
  statistics: Statistics;
  hour: Buffer;
};

/** The rows that a group comes into, its values that no row had yet, and those that are hot no longer then. */
export type Folded = { closing: Closing[]; added: HourValue[]; removed: HotValue[] };

/** The values of a group that a row of the day has, or is to have; without a row, those before the first one. */
type Span = { row: ClosedHour | null; values: HotValue[] };

/**
 * Puts the values of a group into the rows of its day, which are those that reach over it. Where the bytes would not give
 * back every value exactly, the values of that row stay hot: `refused` is called with the reason.
 */
export async function fold(
  group: Group,
  rows: readonly ClosedHour[],
  refused: (error?: unknown) => void,
): Promise<Folded> {
  const folded: Folded = { closing: [], added: [], removed: [] };
  for (const span of spansOf(group, rows)) {
    await setImmediate();
    try {
      const earlier = span.row ? [...valuesOf([span.row])] : [];
      const added = addedTo(earlier, span.values);
      const closing = await closingOf(group, { span, earlier, added });
      if (!closing) {
        refused();
        continue;
      }
      folded.closing.push(...closing);
      folded.added.push(...added);
      folded.removed.push(...span.values);
    } catch (error) {
      refused(error);
    }
  }
  return folded;
}

function spansOf({ values }: Group, rows: readonly ClosedHour[]): Span[] {
  const spans: Span[] = [];
  let place = -1;
  for (const value of values) {
    const before = place;
    while ((rows[place + 1]?.start.getTime() ?? Infinity) * 1_000 <= value.at) place += 1;
    const last = spans.at(-1);
    if (last && place === before) last.values.push(value);
    else spans.push({ row: rows[place] ?? null, values: [value] });
  }
  return spans;
}

const keyOf = ({ at, seq }: { at: number; seq: string }): string => `${at}.${seq}`;

function addedTo(earlier: readonly HourValue[], values: readonly HotValue[]): HourValue[] {
  const known = new Set(earlier.map(keyOf));
  return values.filter((value) => !known.has(keyOf(value))).map(valueOf);
}

const valueOf = (hot: HotValue): HourValue => ({
  at: hot.at,
  seq: hot.seq,
  driverId: hot.driverId,
  rawValue: hot.rawValue,
  calValue: hot.calValue,
  numValue: hot.numValue,
  quality: hot.quality,
  received: hot.received,
  claimed: hot.claimed,
  issue: hot.issue,
});

type Adding = { span: Span; earlier: readonly HourValue[]; added: readonly HourValue[] };

/** Null where a row would not give back its values. */
async function closingOf(
  { deviceId, pointId, day }: Group,
  { span, earlier, added }: Adding,
): Promise<Closing[] | null> {
  const [first] = added;
  if (!first) return [];
  const last = earlier.at(-1);
  const isBehind = last !== undefined && msOf(first) > msOf(last);
  const isFull = earlier.length + added.length > MAX_OF_ROW;
  // A full row stays as it is; the next one begins behind it.
  const all = isBehind && isFull ? added : merged([...earlier], [...added]);
  const start = isBehind && isFull ? msOf(first) : (span.row?.start.getTime() ?? day);
  const closing: Closing[] = [];
  for (const [place, values] of chunksOf(all).entries()) {
    const [oldest] = values;
    if (!oldest) continue;
    const row = await rowOf(place === 0 ? start : msOf(oldest), values);
    if (!row) return null;
    closing.push({ deviceId, pointId, ...row });
  }
  return closing;
}

const msOf = ({ at }: { at: number }): number => Math.floor(at / 1_000);

/** Equal parts of at most `MAX_OF_ROW` values; values of a millisecond stay together. */
function chunksOf(values: readonly HourValue[]): HourValue[][] {
  const size = Math.ceil(values.length / Math.ceil(values.length / MAX_OF_ROW));
  const chunks: HourValue[][] = [];
  for (const value of values) {
    const last = chunks.at(-1);
    const before = last?.at(-1);
    if (last && before && (last.length < size || msOf(before) === msOf(value))) last.push(value);
    else chunks.push([value]);
  }
  return chunks;
}

/** The row of values, none before `start` (ms), in their order; null where its bytes would not give them back. */
export async function rowOf(
  start: number,
  values: readonly HourValue[],
): Promise<Omit<Closing, 'deviceId' | 'pointId'> | null> {
  const [first, last] = [values[0], values.at(-1)];
  if (!first || !last) return null;
  const isOfOne = values.every(({ driverId }) => driverId === first.driverId);
  const written = isOfOne ? values.map((value) => ({ ...value, driverId: '' })) : values;
  const hour = encodeHour(start * 1_000, written);
  const read = decodeHour(start * 1_000, hour);
  if (read.count !== written.length) return null;
  for (const [index, value] of written.entries()) {
    if (index % COMPARED_AT_ONCE === COMPARED_AT_ONCE - 1) await setImmediate();
    if (!isSame(read.value(index), value)) return null;
  }
  return {
    start,
    end: last.at,
    received: values.reduce((newest, { received }) => Math.max(newest, received), first.received),
    driverId: isOfOne ? first.driverId : '0',
    statistics: statisticsOf(start * 1_000, values),
    hour,
  };
}

const FIELDS: readonly (keyof HourValue)[] = [
  'at',
  'seq',
  'driverId',
  'rawValue',
  'calValue',
  'numValue',
  'quality',
  'received',
  'claimed',
  'issue',
];

const isSame = (read: HourValue, value: HourValue): boolean =>
  FIELDS.every((field) => Object.is(read[field], value[field]));
