import * as decimal from '../../../src/core/decimal.ts';
import { CodecError } from './codec.ts';
import { type Entry, fieldsOf, MAX_RECORDS, onlyOne, ZERO } from './entry.ts';
import { type Item, type ItemMap } from './item.ts';
import { exact } from './number.ts';

/** The version of RFC 8428; a pack of a later one must be refused (4.4). */
const VERSION = 10;

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
  const { text, number } = fieldsOf(record);
  demandKnown(record);
  bases.name = text('bn') ?? bases.name;
  bases.time = number('bt') ?? bases.time;
  bases.value = number('bv') ?? bases.value;
  const name = bases.name + (text('n') ?? '');
  const time = decimal.add(bases.time, number('t') ?? ZERO);
  const value = valueOf(record, bases.value, bytesOf);
  return value === undefined ? undefined : { name, time, value };
}

function valueOf(
  record: ItemMap,
  base: decimal.Decimal | null,
  bytesOf: (item: Item) => Buffer,
): Item | undefined {
  const { text, flag, numeral } = fieldsOf(record);
  const bytes = record.get('vd');
  const number = numeral('v');
  const value = onlyOne([
    number,
    text('vs'),
    text('vlo'),
    flag('vb'),
    bytes === undefined ? undefined : bytesOf(bytes),
  ]);
  if (base === null || (value !== undefined && value !== number)) return value;
  // Only a record of its own has the base value for its value, not one that sets the bases.
  if (!number && !record.has('n') && !record.has('t')) return undefined;
  return { numeral: decimal.format(decimal.add(base, number ? exact(number.numeral) : ZERO)) };
}

/** Refuses what must not be passed over, and other fields of a wrong kind. */
function demandKnown(record: ItemMap): void {
  const { text, number } = fieldsOf(record);
  for (const name of ['bu', 'u']) text(name);
  for (const name of ['bs', 's', 'ut']) number(name);
  const version = number('bver');
  if (version && (!decimal.isInteger(version) || Number(decimal.format(version)) > VERSION))
    throw new CodecError('the SenML pack is of a later version');
  for (const name of record.keys())
    if (typeof name === 'string' && name.endsWith('_'))
      throw new CodecError('the SenML pack has a field that has to be understood');
}
