import { isPlain } from '../../../src/kernel/decimal.ts';
import { CodecError, unterminated } from './codec.ts';
import { exact } from './number.ts';
import type { ResourceType } from './resource.ts';

/** A number as text, so that a 64-bit integer or a decimal fraction stays exact. */
export type Numeral = { numeral: string };
/** What JSON and CBOR are made of; the keys 1 and `1` of a CBOR map are two. */
export type Item = Numeral | string | boolean | null | Buffer | Item[] | ItemMap;
export type ItemMap = Map<string | number, Item>;

/** Bounds of what a device sends; a pack of 1,000 records with all their fields stays below. */
export const MAX_DEPTH = 8;
export const MAX_ITEMS = 20_000;

export const isNumeral = (item: Item | undefined): item is Numeral =>
  typeof item === 'object' && item !== null && 'numeral' in item;

/**
 * The value of a resource as text. Text, links and bytes are no numbers, and only bytes are opaque; a boolean counts as
 * 0 or 1 where a number is wanted, as in plain text. Throws `CodecError`.
 */
export function valueText(item: Item, type: ResourceType): string {
  if (type === 'OPAQUE')
    return Buffer.isBuffer(item) ? item.toString('base64') : refuse(item, type);
  // The range is judged with the scaling, which keeps the number for people.
  if (isNumeral(item) && type !== 'BOOLEAN') return checked(item);
  if (typeof item === 'boolean')
    return type === 'STRING' || type === 'BOOLEAN' ? String(item) : item ? '1' : '0';
  if (type === 'STRING' && typeof item === 'string') return unterminated(item);
  if (type === 'STRING' && Buffer.isBuffer(item)) return item.toString('base64');
  if (isNumeral(item) && /^[01]$/.test(item.numeral)) return String(item.numeral === '1');
  return refuse(item, type);
}

function checked({ numeral }: Numeral): string {
  if (!isPlain(numeral)) exact(numeral);
  return numeral;
}

function refuse(item: Item, type: ResourceType): never {
  throw new CodecError(`the device sent ${kindOf(item)} for ${type}`);
}

function kindOf(item: Item): string {
  if (isNumeral(item)) return 'a number';
  if (Buffer.isBuffer(item)) return 'bytes';
  if (item === null) return 'nothing';
  if (typeof item === 'string') return 'text';
  return typeof item === 'boolean' ? 'true or false' : 'more than one value';
}
