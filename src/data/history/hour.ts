import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';

import { ByteReader, ByteWriter } from './bytes.ts';
import { readIntegers, writeIntegers } from './integers.ts';
import { readTexts, type Texts, writeTexts } from './texts.ts';

/** A value as it is stored, without what all values of a series have in common. Times in microseconds since the epoch. */
export type HourValue = {
  at: number;
  seq: string;
  driverId: string;
  rawValue: string;
  calValue: string;
  numValue: number | null;
  quality: number;
  received: number;
  /** Decimal text: a sender may claim any year. */
  claimed: string | null;
  issue: string | null;
};

/** Values in columns: what a reader does not ask for is not opened. */
export type Hour = {
  count: number;
  /** Microseconds since the epoch, ascending. */
  at: Float64Array;
  quality: Float64Array;
  number(index: number): number | null;
  /** Of all values, into an array of their count where one is given; NaN: none. */
  numbers(to?: Float64Array): Float64Array;
  calValue(index: number): string;
  seq(index: number): string;
  driverId(index: number): string;
  /** Microseconds since the epoch. */
  received(index: number): number;
  issue(index: number): string | null;
  value(index: number): HourValue;
  /** Whether a value of this time (microseconds) and sequence is among them. */
  has(at: number, seq: string): boolean;
};

const VERSION = 1;
/** The rest is compressed by zstd. */
const COMPRESSED = 0x80;
/** Fewer bytes than this gain less than the frame of zstd costs, in bytes and when they are read. */
const LEAST_TO_COMPRESS = 400;
const WORTH_IT = 0.85;

/** How a number relates to the text of its value. */
const Numbers = { AS_TEXT: 0, NONE: 1, OTHER: 2 } as const;

/** The bytes of values of closed hours, none before `start` (microseconds), in order of time and sequence. */
export function encodeHour(start: number, values: readonly HourValue[]): Buffer {
  const body = new ByteWriter();
  body.varint(values.length);
  writeIntegers(
    body,
    values.map(({ at }) => at - start),
  );
  writeIntegers(
    body,
    values.map(({ quality }) => quality),
  );
  const calTexts = values.map(({ calValue }) => calValue);
  writeTexts(body, calTexts);
  writeNumbers(body, values, readBack(calTexts));
  writeRaw(body, values, calTexts);
  for (const column of RARE) writeTexts(body, values.map(column));
  const plain = body.bytes();
  const compressed = plain.length < LEAST_TO_COMPRESS ? plain : zstdCompressSync(plain);
  const isWorthIt = compressed.length < WORTH_IT * plain.length;
  return Buffer.concat([
    Buffer.of(isWorthIt ? VERSION | COMPRESSED : VERSION),
    isWorthIt ? compressed : plain,
  ]);
}

const absent = (text: string | null): string => (text === null ? '' : `=${text}`);
const present = (text: string): string | null => (text === '' ? null : text.slice(1));

/** Columns that are the same, or almost, for all values of an hour. */
const RARE: readonly ((value: HourValue) => string)[] = [
  ({ at, received }) => String(received - at),
  ({ seq }) => seq,
  ({ driverId }) => driverId,
  ({ claimed }) => absent(claimed),
  ({ issue }) => absent(issue),
];

function readBack(texts: readonly string[]): Texts {
  const written = new ByteWriter();
  writeTexts(written, texts);
  return readTexts(new ByteReader(written.bytes()), texts.length);
}

/** What a point with such a text has as its number, unless the value says otherwise. */
function expectedNumber(texts: Texts, index: number): number | null {
  const number = texts.number(index);
  if (number !== null) return number;
  const text = texts.text(index);
  if (text === 'true') return 1;
  return text === 'false' ? 0 : null;
}

function writeNumbers(to: ByteWriter, values: readonly HourValue[], texts: Texts): void {
  const kinds = values.map(({ numValue }, index) => {
    if (Object.is(numValue, expectedNumber(texts, index))) return Numbers.AS_TEXT;
    return numValue === null ? Numbers.NONE : Numbers.OTHER;
  });
  writeIntegers(to, kinds);
  for (const [index, kind] of kinds.entries())
    if (kind === Numbers.OTHER) to.double(values[index]?.numValue ?? NaN);
}

function readNumbers(
  from: ByteReader,
  count: number,
  texts: Texts,
): Pick<Hour, 'number' | 'numbers'> {
  const kinds = readIntegers(from, count);
  const others = new Map<number, number>();
  let areAsTexts = true;
  for (let index = 0; index < count; index += 1) {
    if (kinds[index] === Numbers.AS_TEXT) continue;
    areAsTexts = false;
    if (kinds[index] === Numbers.OTHER) others.set(index, from.double());
  }
  const number = (index: number): number | null => {
    if (kinds[index] === Numbers.AS_TEXT) return expectedNumber(texts, index);
    return others.get(index) ?? null;
  };
  return {
    number,
    numbers(to = new Float64Array(count)) {
      if (areAsTexts && texts.numbers) texts.numbers(to);
      else for (let index = 0; index < count; index += 1) to[index] = number(index) ?? NaN;
      return to;
    },
  };
}

const Raw = { SAME: 0, OWN: 1, MULTIPLE: 2 } as const;

/** Most devices send what is stored, or that in another unit. */
function writeRaw(to: ByteWriter, values: readonly HourValue[], calTexts: readonly string[]): void {
  if (values.every(({ rawValue, calValue }) => rawValue === calValue)) {
    to.byte(Raw.SAME);
    return;
  }
  const own = new ByteWriter();
  own.byte(Raw.OWN);
  writeTexts(
    own,
    values.map(({ rawValue }) => rawValue),
  );
  const multiple = new ByteWriter();
  multiple.byte(Raw.MULTIPLE);
  const factor = factorOf(values);
  multiple.double(factor);
  writeTexts(
    multiple,
    values.map(({ rawValue }, index) =>
      rawValue === multipleOf(calTexts[index] ?? '', factor) ? '' : `=${rawValue}`,
    ),
  );
  to.write((own.length < multiple.length ? own : multiple).bytes());
}

const multipleOf = (text: string, factor: number): string =>
  String(Number((Number(text) * factor).toPrecision(15)));

/** By how much the first text that is not zero has to be multiplied to be the raw one. */
function factorOf(values: readonly HourValue[]): number {
  const found = values.find(({ calValue }) => Number(calValue) !== 0);
  const factor = Number(found?.rawValue) / Number(found?.calValue);
  return Number.isFinite(factor) ? Number(factor.toPrecision(12)) : 1;
}

function readRaw(from: ByteReader, count: number, calTexts: Texts): (index: number) => string {
  const form = from.byte();
  if (form === Raw.SAME) return (index) => calTexts.text(index);
  if (form === Raw.OWN) {
    const { text } = readTexts(from, count);
    return text;
  }
  const factor = from.double();
  const { text } = readTexts(from, count);
  return (index) => present(text(index)) ?? multipleOf(calTexts.text(index), factor);
}

/** Reads the times into `times`, where that has their count. Throws RangeError for bytes that no `encodeHour` wrote. */
export function decodeHour(start: number, bytes: Buffer, times?: Float64Array): Hour {
  const form = bytes[0] ?? 0;
  if ((form & ~COMPRESSED) !== VERSION) throw new RangeError(`a closed hour has the form ${form}`);
  const rest = bytes.subarray(1);
  const from = new ByteReader(form & COMPRESSED ? zstdDecompressSync(rest) : rest);
  const count = from.varint();
  const at = readIntegers(from, count, start, times?.length === count ? times : undefined);
  const quality = readIntegers(from, count);
  const cal = once(() => {
    const texts = readTexts(from, count);
    return { texts, ...readNumbers(from, count, texts) };
  });
  const rare = once(() => readRare(from, count, cal().texts));
  const hour: Omit<Hour, 'value' | 'has'> = {
    count,
    at,
    quality,
    number: (index) => cal().number(index),
    numbers: (to) => cal().numbers(to),
    calValue: (index) => cal().texts.text(index),
    seq: (index) => rare().seq.text(index),
    driverId: (index) => rare().driver.text(index),
    received: (index) => (at[index] ?? NaN) + Number(rare().lag.text(index)),
    issue: (index) => present(rare().issue.text(index)),
  };
  return {
    ...hour,
    value: (index) => ({
      at: at[index] ?? NaN,
      seq: hour.seq(index),
      driverId: hour.driverId(index),
      rawValue: rare().raw(index),
      calValue: hour.calValue(index),
      numValue: hour.number(index),
      quality: quality[index] ?? NaN,
      received: hour.received(index),
      claimed: present(rare().claimed.text(index)),
      issue: hour.issue(index),
    }),
    has(time, seq) {
      for (let index = firstAt(at, time); at[index] === time; index += 1)
        if (hour.seq(index) === seq) return true;
      return false;
    },
  };
}

/** The columns lie one after the other: each part is opened after the one before it, and once. */
function once<T>(read: () => T): () => T {
  let opened: { it: T } | null = null;
  return () => (opened ??= { it: read() }).it;
}

/** The place of the first of ascending times that is not before `time`. */
export function firstAt(at: Float64Array, time: number): number {
  let [from, to] = [0, at.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((at[middle] ?? NaN) < time) from = middle + 1;
    else to = middle;
  }
  return from;
}

const readRare = (from: ByteReader, count: number, calTexts: Texts) => ({
  raw: readRaw(from, count, calTexts),
  lag: readTexts(from, count),
  seq: readTexts(from, count),
  driver: readTexts(from, count),
  claimed: readTexts(from, count),
  issue: readTexts(from, count),
});
