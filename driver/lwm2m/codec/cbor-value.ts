import { readCbor } from './cbor-reader.ts';
import { writeValue } from './cbor-writer.ts';
import { type Codec, ContentFormat } from './codec.ts';
import { valueText } from './item.ts';

/** A single value in CBOR (OMA Core 1.1, 7.4.3). */
export const cborValue: Codec = {
  contentFormat: ContentFormat.CBOR,
  decode: (payload, _path, type) => valueText(readCbor(payload), type),
  encode: (value, _path, type) => writeValue(value, type),
};
