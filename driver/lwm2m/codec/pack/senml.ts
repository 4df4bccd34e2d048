import * as decimal from '../../../../src/core/decimal.ts';
import { CodecError } from '../codec.ts';
import { type Item, type ItemMap } from '../item.ts';
import { exact } from '../number.ts';
import {
  type Entry,
  flagIn,
  MAX_RECORDS,
  numberIn,
  numeralIn,
  onlyOne,
  textIn,
  ZERO,
} from './entry.ts';

/** The version of RFC 8428; a pack of a later one must be refused (4.4). */
const VERSION = 10;

/** Fields of a known kind that say nothing of a value here. */
const UNITS = ['bu', 'u'] as const;
const UNUSED = ['bs', 's', 'ut'] as const;

/** Base fields, which stay in force until they are replaced (RFC 8428, 4.1). */
type Bases = { name: string; time: decimal.Decimal; value: decimal.Decimal | null };

/**
 * The values of a SenML pack with full names, times and numbers (RFC 8428, 4.6: resolved records). `bytesOf` takes the
 * bytes of `vd` out of what the notation holds there. Throws `CodecError`.
 */
export function resolve(pack: Item, bytesOf: (item: Item) => Buffer): Entry[] {
  if (!Array.isArray(pack) || pack.length === 0)
    throw new CodecError('the payload is no SenML pack');
  if (pack.length > MAX_RECORDS) throw new CodecError('the SenML pack has too many records');
  const bases: Bases = { name: '', time: ZERO, value: null };
  return pack.flatMap((record) => {
    if (!(record instanceof Map)) throw new CodecError('a SenML record is no map');
    return entryOf(record, bases, bytesOf) ?? [];
  });
}

function entryOf(
  record: ItemMap,
  bases: Bases,
  bytesOf: (item: Item) => Buffer,
): Entry | undefined {
  demandKnown(record);
  bases.name = textIn(record, 'bn') ?? bases.name;
  bases.time = numberIn(record, 'bt') ?? bases.time;
  bases.value = numberIn(record, 'bv') ?? bases.value;
  const name = bases.name + (textIn(record, 'n') ?? '');
  const own = numberIn(record, 't');
  const time = own ? decimal.add(bases.time, own) : bases.time;
  const value = valueOf(record, bases.value, bytesOf);
  return value === undefined ? undefined : { name, time, value };
}

function valueOf(
  record: ItemMap,
  base: decimal.Decimal | null,
  bytesOf: (item: Item) => Buffer,
): Item | undefined {
  const bytes = record.get('vd');
  const number = numeralIn(record, 'v');
  const value = onlyOne([
    number,
    textIn(record, 'vs'),
    textIn(record, 'vlo'),
    flagIn(record, 'vb'),
    bytes === undefined ? undefined : bytesOf(bytes),
  ]);
  if (base === null || (value !== undefined && value !== number)) return value;
  // Only a record of its own has the base value for its value, not one that sets the bases.
  if (!number && !record.has('n') && !record.has('t')) return undefined;
  return { numeral: decimal.format(decimal.add(base, number ? exact(number.numeral) : ZERO)) };
}

/** Refuses what must not be passed over, and other fields of a wrong kind. */
function demandKnown(record: ItemMap): void {
  for (const name of UNITS) textIn(record, name);
  for (const name of UNUSED) numberIn(record, name);
  const version = numberIn(record, 'bver');
  if (version && (!decimal.isInteger(version) || Number(decimal.format(version)) > VERSION))
    throw new CodecError('the SenML pack is of a later version');
  for (const name of record.keys())
    if (typeof name === 'string' && name.endsWith('_'))
      throw new CodecError('the SenML pack has a field that has to be understood');
}
