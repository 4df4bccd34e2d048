import {
  bit,
  type Codec,
  CodecError,
  ContentFormat,
  fromBase64,
  opaqueBytes,
  wellFormed,
} from '../codec/codec.ts';
import { type Item, valueText } from '../codec/item.ts';
import { readJson } from '../codec/json-reader.ts';
import { numeralOf } from '../codec/number.ts';
import { formatPath } from '../codec/path.ts';
import type { ResourceType } from '../codec/resource.ts';
import { type Entry, newestOf, timedOf } from './entry.ts';
import { resolve } from './senml.ts';

/** SenML in JSON (RFC 8428, 5; OMA Core 1.1, 7.4.5). */
export const senmlJson: Codec = {
  contentFormat: ContentFormat.SENML_JSON,
  decode: (payload, path, type) => valueText(newestOf(entriesIn(payload), path), type),
  decodeTimed: (payload, path, type) =>
    timedOf(entriesIn(payload), path, (item) => valueText(item, type)),
  encode: (value, path, type) =>
    Buffer.from(`[{"bn":"${formatPath(path)}",${fieldOf(value, type)}}]`),
};

export const entriesIn = (payload: Buffer): Entry[] => resolve(readJson(payload), bytesOf);

function bytesOf(item: Item): Buffer {
  if (typeof item === 'string') return fromBase64(item);
  throw new CodecError('the field vd is of another kind');
}

/** The field of a record that has the value. Throws `CodecError`. */
export function fieldOf(value: string, type: ResourceType): string {
  // Base64url in SenML, base64 in point values.
  if (type === 'OPAQUE') return `"vd":"${opaqueBytes(value).toString('base64url')}"`;
  if (type === 'STRING') return `"vs":${JSON.stringify(wellFormed(value))}`;
  return type === 'BOOLEAN' ? `"vb":${bit(value)}` : `"v":${numeralOf(value, type)}`;
}
