import * as decimal from '../../../src/kernel/decimal.ts';
import { CodecError } from '../codec/codec.ts';
import { isNumeral, type Item, type ItemMap, type Numeral } from '../codec/item.ts';
import { exact } from '../codec/number.ts';
import { type Entry, flagOf, MAX_RECORDS, numberOf, numeralOf, textOf, ZERO } from './entry.ts';

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
  const entries: Entry[] = [];
  for (const record of pack) {
    if (!(record instanceof Map)) throw new CodecError('a SenML record is no map');
    const entry = entryOf(record, bases, bytesOf);
    if (entry) entries.push(entry);
  }
  return entries;
}

/** Each field is looked at once: reports of one record are most of what devices send. */
function entryOf(
  record: ItemMap,
  bases: Bases,
  bytesOf: (item: Item) => Buffer,
): Entry | undefined {
  let name = '';
  let own: decimal.Decimal | null = null;
  let value: Item | undefined;
  let isNumber = false;
  const take = (item: Item): void => {
    if (value !== undefined) throw new CodecError('a record holds more than one value');
    value = item;
  };
  for (const [field, item] of record) {
    switch (field) {
      case 'bn':
        bases.name = textOf(item, field);
        break;
      case 'bt':
        bases.time = numberOf(item, field);
        break;
      case 'bv':
        bases.value = numberOf(item, field);
        break;
      case 'n':
        name = textOf(item, field);
        break;
      case 't':
        own = numberOf(item, field);
        break;
      case 'v':
        isNumber = true;
        take(numeralOf(item, field));
        break;
      case 'vs':
      case 'vlo':
        take(textOf(item, field));
        break;
      case 'vb':
        take(flagOf(item, field));
        break;
      case 'vd':
        take(bytesOf(item));
        break;
      default:
        demandKnown(field, item);
    }
  }
  if (bases.value !== null && (value === undefined || isNumber))
    value = based(value, bases.value, record);
  if (value === undefined) return undefined;
  const time = own ? decimal.add(bases.time, own) : bases.time;
  return { name: bases.name + name, time, value };
}

/** Only a record of its own has the base value for its value, not one that sets the bases. */
function based(
  number: Item | undefined,
  base: decimal.Decimal,
  record: ItemMap,
): Numeral | undefined {
  const own = isNumeral(number) ? exact(number.numeral) : null;
  if (!own && !record.has('n') && !record.has('t')) return undefined;
  return { numeral: decimal.format(decimal.add(base, own ?? ZERO)) };
}

/** Refuses what must not be passed over, and other fields of a wrong kind; none of them says anything of a value. */
function demandKnown(field: string | number, item: Item): void {
  switch (field) {
    case 'bu':
    case 'u':
      textOf(item, field);
      return;
    case 'bs':
    case 's':
    case 'ut':
      numberOf(item, field);
      return;
    case 'bver': {
      const version = numberOf(item, field);
      if (!decimal.isInteger(version) || Number(decimal.format(version)) > VERSION)
        throw new CodecError('the SenML pack is of a later version');
      return;
    }
    default:
      if (typeof field === 'string' && field.endsWith('_'))
        throw new CodecError('the SenML pack has a field that has to be understood');
  }
}
