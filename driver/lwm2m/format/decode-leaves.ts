import type { CoapResponse } from '../../coap/contract.ts';
import { readCbor } from '../codec/cbor-reader.ts';
import { CodecError, ContentFormat, fromBase64, utf8 } from '../codec/codec.ts';
import { isNumeral, type Item, valueText } from '../codec/item.ts';
import { parsePath } from '../codec/path.ts';
import type { Entry } from './entry.ts';
import type { TypeAt } from './leaf.ts';
import { entriesIn as omaJson } from './oma-json.ts';
import { entriesIn as senmlCbor } from './senml-cbor.ts';
import { entriesIn as senmlJson } from './senml-json.ts';
import { Kind, parse, readValue } from './tlv.ts';

/** Values as text by path, as in `/3/0/13`. */
type Values = [path: string, text: string][];
type At = readonly number[];

/** The Content-Formats that can carry the values at a path of so many ids. */
export function formatsOf(length: number): ReadonlySet<number> {
  const { TLV, JSON, SENML_JSON, SENML_CBOR, TEXT, CBOR } = ContentFormat;
  const packs = [SENML_JSON, SENML_CBOR, TLV, JSON];
  // A resource may be a multiple one.
  return new Set(length < 4 ? packs : [...packs, CBOR, TEXT]);
}

/**
 * The values at and below the path `at` in an answer. Where no point of the device says the type, and the format neither
 * (TLV), the bytes are given as `0x…`. Throws `CodecError`.
 */
export function valuesIn(response: CoapResponse, at: At, typeAt: TypeAt): Values {
  const { payload } = response;
  switch (response.contentFormat ?? ContentFormat.TEXT) {
    case ContentFormat.SENML_JSON:
      return named(senmlJson(payload), at, typeAt);
    case ContentFormat.SENML_CBOR:
      return named(senmlCbor(payload), at, typeAt);
    case ContentFormat.JSON:
      return named(omaJson(payload, at.map(String)), at, typeAt);
    case ContentFormat.TLV:
      return fromTlv(payload, at, typeAt);
    case ContentFormat.CBOR:
      return [[pathText(single(at)), textOf(readCbor(payload), typeAt(at))]];
    case ContentFormat.OPAQUE:
      return [[pathText(single(at)), textOf(payload, typeAt(at))]];
    case ContentFormat.TEXT:
      return [[pathText(single(at)), textFrom(payload, typeAt(at))]];
    default:
      throw new CodecError(`Content-Format ${response.contentFormat} is not spoken`);
  }
}

function named(entries: readonly Entry[], at: At, typeAt: TypeAt): Values {
  const values = new Map<string, string>();
  for (const { name, value } of entries) {
    const ids = parsePath(name);
    if (!ids || ids.length < 3 || !at.every((id, index) => ids[index] === id))
      throw new CodecError('the payload names another path than the one that was asked for');
    const path = pathText(ids);
    if (values.has(path)) throw new CodecError('the payload holds a value twice');
    values.set(path, textOf(value, typeAt(ids)));
  }
  return [...values];
}

/** TLV names no path: its levels are those below the path, or that of the path itself. */
function fromTlv(payload: Buffer, at: At, typeAt: TypeAt): Values {
  const [first] = parse(payload);
  if (!first) return [];
  const depth = DEPTH[first.kind] ?? at.length;
  const values = levelOf(payload, at.slice(0, depth), typeAt);
  if (values.every(([path]) => isAtOrBelow(path, at))) return values;
  throw new CodecError('the payload names another path than the one that was asked for');
}

/** How many ids are above an entry of each kind. */
const DEPTH: Readonly<Record<number, number>> = {
  [Kind.OBJECT_INSTANCE]: 1,
  [Kind.MULTIPLE]: 2,
  [Kind.RESOURCE]: 2,
  [Kind.RESOURCE_INSTANCE]: 3,
};

function levelOf(bytes: Buffer, above: At, typeAt: TypeAt): Values {
  return parse(bytes).flatMap(({ kind, id, value }) => {
    if (DEPTH[kind] !== above.length) throw new CodecError('the TLV is nested wrongly');
    const ids = [...above, id];
    if (kind === Kind.OBJECT_INSTANCE || kind === Kind.MULTIPLE) return levelOf(value, ids, typeAt);
    const type = typeAt(ids);
    const text = type === null ? `0x${value.toString('hex')}` : readValue(value, type);
    return [[pathText(ids), text] as [string, string]];
  });
}

function textOf(item: Item, type: ReturnType<TypeAt>): string {
  if (type !== null) return valueText(item, type);
  if (Buffer.isBuffer(item)) return `0x${item.toString('hex')}`;
  return valueText(item, isNumeral(item) ? 'DOUBLE' : 'STRING');
}

function textFrom(payload: Buffer, type: ReturnType<TypeAt>): string {
  const value = utf8(payload);
  if (value === null) throw new CodecError('the text is not UTF-8');
  return type === 'OPAQUE' ? fromBase64(value.trim()).toString('base64') : value;
}

function single(at: At): At {
  if (at.length >= 3) return at;
  throw new CodecError('one value is not what was asked for');
}

const pathText = (ids: At): string => `/${ids.join('/')}`;
const isAtOrBelow = (path: string, at: At): boolean => `${path}/`.startsWith(`${pathText(at)}/`);
