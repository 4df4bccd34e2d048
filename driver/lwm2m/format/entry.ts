import * as decimal from '../../../src/kernel/decimal.ts';
import { CodecError, type TimedValue } from '../codec/codec.ts';
import { isNumeral, type Item, type ItemMap, type Numeral } from '../codec/item.ts';
import { exact } from '../codec/number.ts';
import { parsePath, type ResourcePath } from '../codec/path.ts';

/** A value of a pack with its full name and its time in seconds: since 1970, or from now below `RELATIVE`. */
export type Entry = { name: string; time: decimal.Decimal; value: Item };

export const ZERO: decimal.Decimal = { digits: 0n, scale: 0 };
export const MAX_RECORDS = 1_000;
/** 2^28: a lower time counts from now (RFC 8428, 4.5.3). */
const RELATIVE: decimal.Decimal = { digits: 1n << 28n, scale: 0 };

/**
 * The newest value of the resource, or of its first instance. Throws `CodecError` when there is none, and when it
 * cannot be told which one is the newest.
 */
export function newestOf(entries: readonly Entry[], path: ResourcePath): Item {
  const found = entriesOf(entries, path);
  let [newest] = found;
  let isTwice = false;
  for (const entry of found) {
    if (entry === newest) continue;
    const later = compare(entry.time, newest.time);
    isTwice = later === 0 || (later < 0 && isTwice);
    if (later > 0) newest = entry;
  }
  if (isTwice) throw new CodecError('the payload holds the resource twice for one time');
  return newest.value;
}

/** All values of the resource, or of its first instance, in their order. Throws `CodecError` when there is none. */
export function timedOf(
  entries: readonly Entry[],
  path: ResourcePath,
  textOf: (item: Item) => string,
): TimedValue[] {
  return entriesOf(entries, path).map(({ time, value }) => {
    const timeS = time === ZERO ? 0 : Number(decimal.format(time));
    if (!Number.isFinite(timeS)) throw new CodecError('a time is out of range');
    return { value: textOf(value), timeS };
  });
}

/** The entries of the resource, or of its first instance; at least one. Throws `CodecError`. */
function entriesOf(entries: readonly Entry[], path: ResourcePath): [Entry, ...Entry[]] {
  const found: Entry[] = [];
  let first: number[] | null = null;
  for (const entry of entries) {
    const ids = idsAt(entry.name, path);
    if (ids === null) continue;
    first ??= ids;
    if (ids.length === first.length && ids[3] === first[3]) found.push(entry);
  }
  if (isSome(found)) return found;
  throw new CodecError('the payload does not hold the resource');
}

const isSome = <T>(all: T[]): all is [T, ...T[]] => all.length > 0;

/** A field of a record, of the kind that it has to be. Throws `CodecError`. */
export const textOf = (item: Item, name: string): string =>
  typeof item === 'string' ? item : otherKind(name);
export const flagOf = (item: Item, name: string): boolean =>
  typeof item === 'boolean' ? item : otherKind(name);
export const numeralOf = (item: Item, name: string): Numeral =>
  isNumeral(item) ? item : otherKind(name);
export const numberOf = (item: Item, name: string): decimal.Decimal =>
  exact(numeralOf(item, name).numeral);

/** Likewise by name; undefined where the record lacks it. */
const fieldIn =
  <T>(kind: (item: Item, name: string) => T) =>
  (record: ItemMap, name: string): T | undefined => {
    const item = record.get(name);
    return item === undefined ? undefined : kind(item, name);
  };
export const textIn = fieldIn(textOf);
export const flagIn = fieldIn(flagOf);
export const numeralIn = fieldIn(numeralOf);
export const numberIn = fieldIn(numberOf);

function otherKind(name: string): never {
  throw new CodecError(`the field ${name} is of another kind`);
}

/** The one value of a record; undefined without one. Throws `CodecError` for several. */
export function onlyOne(values: readonly (Item | undefined)[]): Item | undefined {
  let only: Item | undefined;
  for (const value of values) {
    if (value === undefined) continue;
    if (only !== undefined) throw new CodecError('a record holds more than one value');
    only = value;
  }
  return only;
}

/** Far beyond a path. A base name of any length could otherwise be read again with each record. */
export const MAX_NAME = 100;

/** The ids in `name` when they are the path of the resource or of an instance of it. */
function idsAt(name: string, path: ResourcePath): number[] | null {
  const ids = name.length > MAX_NAME ? null : parsePath(name);
  const isAt =
    ids !== null &&
    ids.length >= 3 &&
    ids[0] === path.objectId &&
    ids[1] === path.objectInstanceId &&
    ids[2] === path.resourceId &&
    (path.resourceInstanceId === undefined || ids[3] === path.resourceInstanceId);
  return isAt ? ids : null;
}

/** Above 0 when `a` is the later time. */
function compare(a: decimal.Decimal, b: decimal.Decimal): number {
  if (isRelative(a) === isRelative(b)) return sign(decimal.subtract(a, b));
  const relative = isRelative(a) ? a : b;
  // What was measured just now is newer than what has a date; an age cannot be compared with a date here.
  if (sign(relative) < 0) throw new CodecError('the payload mixes dates and ages of the resource');
  return relative === a ? 1 : -1;
}

const isRelative = (time: decimal.Decimal): boolean => sign(decimal.subtract(time, RELATIVE)) < 0;
const sign = ({ digits }: decimal.Decimal): number => (digits > 0n ? 1 : digits < 0n ? -1 : 0);
