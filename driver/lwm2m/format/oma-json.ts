import * as decimal from '../../../src/kernel/decimal.ts';
import {
  bit,
  type Codec,
  CodecError,
  ContentFormat,
  fromBase64,
  opaqueBytes,
  wellFormed,
} from '../codec/codec.ts';
import { type Item, type ItemMap, valueText } from '../codec/item.ts';
import { readJson } from '../codec/json-reader.ts';
import { numeralOf } from '../codec/number.ts';
import { formatPath, type ResourcePath, segments } from '../codec/path.ts';
import type { ResourceType } from '../codec/resource.ts';
import {
  type Entry,
  flagIn,
  MAX_RECORDS,
  newestOf,
  numberIn,
  numeralIn,
  onlyOne,
  textIn,
  timedOf,
  ZERO,
} from './entry.ts';

/** The JSON of LwM2M 1.0 (OMA TS 1.0, 6.4.4). */
export const omaJson: Codec = {
  contentFormat: ContentFormat.JSON,
  decode: (payload, path, type) => textOf(newestOf(entriesIn(payload, segments(path)), path), type),
  decodeTimed: (payload, path, type) =>
    timedOf(entriesIn(payload, segments(path)), path, (item) => textOf(item, type)),
  encode(value, path, type) {
    const name = lastOf(path);
    const base = formatPath(path).slice(0, -name.length);
    return Buffer.from(`{"bn":"${base}","e":[{"n":"${name}",${fieldOf(value, type)}}]}`);
  },
};

/** There are no bytes in this format, only their base64. */
const textOf = (item: Item, type: ResourceType): string =>
  valueText(type === 'OPAQUE' && typeof item === 'string' ? fromBase64(item) : item, type);

/** The field of a record that has the value. Throws `CodecError`. */
export function fieldOf(value: string, type: ResourceType): string {
  if (type === 'OPAQUE') return `"sv":"${opaqueBytes(value).toString('base64')}"`;
  if (type === 'STRING') return `"sv":${JSON.stringify(wellFormed(value))}`;
  return type === 'BOOLEAN' ? `"bv":${bit(value)}` : `"v":${numeralOf(value, type)}`;
}

/** The values; `at` is the path that was asked for, as ids. Throws `CodecError`. */
export function entriesIn(payload: Buffer, at: readonly string[]): Entry[] {
  const document = readJson(payload);
  const records = document instanceof Map ? document.get('e') : undefined;
  if (!(document instanceof Map) || !Array.isArray(records))
    throw new CodecError('the payload is no LwM2M JSON');
  if (records.length > MAX_RECORDS) throw new CodecError('the LwM2M JSON has too many records');
  const base = { name: textIn(document, 'bn'), time: numberIn(document, 'bt') ?? ZERO };
  return records.flatMap((record) => {
    if (!(record instanceof Map)) throw new CodecError('a record of LwM2M JSON is no object');
    const value = valueOf(record);
    const time = decimal.add(base.time, numberIn(record, 't') ?? ZERO);
    return value === undefined
      ? []
      : [{ name: nameOf(base.name, textIn(record, 'n'), at), time, value }];
  });
}

function valueOf(record: ItemMap): Item | undefined {
  return onlyOne([
    numeralIn(record, 'v'),
    flagIn(record, 'bv'),
    textIn(record, 'sv'),
    textIn(record, 'ov'),
  ]);
}

/** Without a base name a record is named from the root, or from the path that was asked for. */
function nameOf(base: string | undefined, name = '', at: readonly string[]): string {
  if (base !== undefined) return base + name;
  if (name.startsWith('/')) return name;
  const own = `/${at.join('/')}`;
  return name === '' || (at.length > 2 && name === at.at(-1)) ? own : `${own}/${name}`;
}

const lastOf = (path: ResourcePath): string => segments(path).at(-1) ?? '';
