import type { Codec } from '../../../driver/lwm2m/codec/codec.ts';
import type { ResourcePath } from '../../../driver/lwm2m/codec/path.ts';
import type { ResourceType } from '../../../driver/lwm2m/codec/resource.ts';
import { codecs } from '../../../driver/lwm2m/format/codecs.ts';

/** Content-Formats as the registry of CoAP numbers them. */
export const FORMATS = {
  text: 0,
  opaque: 42,
  cbor: 60,
  senmlJson: 110,
  senmlCbor: 112,
  tlv: 11_542,
  json: 11_543,
} as const;

export const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(/\s/g, ''), 'hex');

function pathAt(text: string): ResourcePath {
  const [objectId = 0, objectInstanceId = 0, resourceId = 0, resourceInstanceId] = text
    .split('/')
    .slice(1)
    .map(Number);
  const path = { objectId, objectInstanceId, resourceId };
  return resourceInstanceId === undefined ? path : { ...path, resourceInstanceId };
}

function codec(format: number): Codec {
  const found = codecs.get(format);
  if (!found) throw new Error(`no codec for ${format}`);
  return found;
}

export const decode = (format: number, payload: Buffer | string, at: string, type: ResourceType) =>
  codec(format).decode(Buffer.from(payload), pathAt(at), type);

export const encode = (format: number, value: string, at: string, type: ResourceType) =>
  codec(format).encode(value, pathAt(at), type);

/** Values and times; null for a format without times. */
export const decodeTimed = (
  format: number,
  payload: Buffer | string,
  at: string,
  type: ResourceType,
) =>
  codec(format)
    .decodeTimed?.(Buffer.from(payload), pathAt(at), type)
    .map(({ value, timeS }) => [value, timeS]) ?? null;
