import * as decimal from '../../../src/core/decimal.ts';
import { formatPath, type ResourcePath } from '../path.ts';
import type { ResourceType } from '../resource.ts';
import {
  bit,
  type Codec,
  CodecError,
  ContentFormat,
  fromBase64,
  opaqueBytes,
  wellFormed,
} from './codec.ts';
import { type Entry, fieldsOf, MAX_RECORDS, newestOf, onlyOne, timedOf, ZERO } from './entry.ts';
import { type Item, type ItemMap, valueText } from './item.ts';
import { readJson } from './json-reader.ts';
import { numeralOf } from './number.ts';

/** The JSON of LwM2M 1.0 (OMA TS 1.0, 6.4.4). */
export const omaJson: Codec = {
  contentFormat: ContentFormat.JSON,
  decode: (payload, path, type) => textOf(newestOf(resolve(readJson(payload), path), path), type),
  decodeTimed: (payload, path, type) =>
    timedOf(resolve(readJson(payload), path), path, (item) => textOf(item, type)),
  encode(value, path, type) {
    const base = formatPath(path).replace(/\d+$/, '');
    return Buffer.from(`{"bn":"${base}","e":[{"n":"${path.resourceId}",${fieldOf(value, type)}}]}`);
  },
};

/** There are no bytes in this format, only their base64. */
const textOf = (item: Item, type: ResourceType): string =>
  valueText(type === 'OPAQUE' && typeof item === 'string' ? fromBase64(item) : item, type);

function fieldOf(value: string, type: ResourceType): string {
  if (type === 'OPAQUE') return `"sv":"${opaqueBytes(value).toString('base64')}"`;
  if (type === 'STRING') return `"sv":${JSON.stringify(wellFormed(value))}`;
  return type === 'BOOLEAN' ? `"bv":${bit(value)}` : `"v":${numeralOf(value, type)}`;
}

function resolve(document: Item, path: ResourcePath): Entry[] {
  const records = document instanceof Map ? document.get('e') : undefined;
  if (!(document instanceof Map) || !Array.isArray(records))
    throw new CodecError('the payload is no LwM2M JSON');
  if (records.length > MAX_RECORDS) throw new CodecError('the LwM2M JSON has too many records');
  const { text, number } = fieldsOf(document);
  const base = { name: text('bn'), time: number('bt') ?? ZERO };
  return records.flatMap((record) => {
    if (!(record instanceof Map)) throw new CodecError('a record of LwM2M JSON is no object');
    const value = valueOf(record);
    const fields = fieldsOf(record);
    const time = decimal.add(base.time, fields.number('t') ?? ZERO);
    return value === undefined
      ? []
      : [{ name: nameOf(base.name, fields.text('n'), path), time, value }];
  });
}

function valueOf(record: ItemMap): Item | undefined {
  const { text, flag, numeral } = fieldsOf(record);
  return onlyOne([numeral('v'), flag('bv'), text('sv'), text('ov')]);
}

/** Without a base name a record is named from the root, or from the resource that was asked for. */
function nameOf(base: string | undefined, name = '', path: ResourcePath): string {
  if (base !== undefined) return base + name;
  if (name.startsWith('/')) return name;
  const own = formatPath(path);
  return name === '' || name === String(path.resourceId) ? own : `${own}/${name}`;
}
