import { readCbor } from '../codec/cbor-reader.ts';
import { writeArray, writeMap, writeText, writeValue } from '../codec/cbor-writer.ts';
import { type Codec, CodecError, ContentFormat } from '../codec/codec.ts';
import { type Item, valueText } from '../codec/item.ts';
import { formatPath } from '../codec/path.ts';
import type { ResourceType } from '../codec/resource.ts';
import { type Entry, newestOf, timedOf } from './entry.ts';
import { resolve } from './senml.ts';

/** RFC 8428, 6; the link `vlo` of LwM2M has no number (OMA Core 1.1, 7.4.6). */
const LABELS = new Map<string, number>([
  ['bs', -6],
  ['bv', -5],
  ['bu', -4],
  ['bt', -3],
  ['bn', -2],
  ['bver', -1],
  ['n', 0],
  ['u', 1],
  ['v', 2],
  ['vs', 3],
  ['vb', 4],
  ['s', 5],
  ['t', 6],
  ['ut', 7],
  ['vd', 8],
]);
const NAMES = new Map(Array.from(LABELS, ([name, label]) => [label, name] as const));
const BASE_NAME = -2;
const FIELDS = { STRING: 3, BOOLEAN: 4, OPAQUE: 8 } as const;
const VALUE = 2;

/** SenML in CBOR (RFC 8428, 6; OMA Core 1.1, 7.4.6). */
export const senmlCbor: Codec = {
  contentFormat: ContentFormat.SENML_CBOR,
  decode: (payload, path, type) => valueText(newestOf(entriesIn(payload), path), type),
  decodeTimed: (payload, path, type) =>
    timedOf(entriesIn(payload), path, (item) => valueText(item, type)),
  encode: (value, path, type) =>
    writeArray([
      writeMap([
        [BASE_NAME, writeText(formatPath(path))],
        [labelOf(type), writeValue(value, type)],
      ]),
    ]),
};

/** The number of the field that has a value of this type. */
export const labelOf = (type: ResourceType): number =>
  type === 'STRING' || type === 'BOOLEAN' || type === 'OPAQUE' ? FIELDS[type] : VALUE;

export const entriesIn = (payload: Buffer): Entry[] =>
  resolve(namedPack(readCbor(payload)), bytesOf);

/** The pack with the names of its fields for their numbers; unknown numbers are passed over. */
function namedPack(pack: Item): Item {
  if (!Array.isArray(pack)) return pack;
  return pack.map((record) => {
    if (!(record instanceof Map)) return record;
    const named = new Map<string, Item>();
    for (const [label, item] of record) {
      const name = typeof label === 'number' ? NAMES.get(label) : label;
      // One field under two keys would be two values.
      if (typeof label === 'string' && LABELS.has(label))
        throw new CodecError(`the SenML label ${label} must be a number`);
      if (name !== undefined) named.set(name, item);
    }
    return named;
  });
}

function bytesOf(item: Item): Buffer {
  if (Buffer.isBuffer(item)) return item;
  throw new CodecError('the field vd is of another kind');
}
