import { readCbor } from '../codec/cbor-reader.ts';
import { writeValue } from '../codec/cbor-writer.ts';
import {
  bit,
  type Codec,
  CodecError,
  ContentFormat,
  fromBase64,
  opaqueBytes,
  unterminated,
  utf8,
  wellFormed,
} from '../codec/codec.ts';
import { valueText } from '../codec/item.ts';
import { numeralOf } from '../codec/number.ts';
import { omaJson } from './oma-json.ts';
import { senmlCbor } from './senml-cbor.ts';
import { senmlJson } from './senml-json.ts';
import { tlv } from './tlv.ts';

/** Raw bytes; a point value holds them as base64, so the point must be a STRING. */
const opaque: Codec = {
  contentFormat: ContentFormat.OPAQUE,
  decode(payload, _path, type) {
    if (type !== 'STRING' && type !== 'OPAQUE') throw new CodecError(`opaque bytes are no ${type}`);
    return payload.toString('base64');
  },
  encode(value, _path, type) {
    if (type !== 'OPAQUE') throw new CodecError(`a ${type} is not sent as opaque bytes`);
    return opaqueBytes(value);
  },
};

/** Plain text (OMA Core 1.1, 7.4.1 and C): a boolean is 0 or 1, opaque bytes are base64. */
const text: Codec = {
  contentFormat: ContentFormat.TEXT,
  decode(payload, _path, type) {
    const whole = utf8(payload);
    if (whole === null) throw new CodecError('the text is not UTF-8');
    const value = unterminated(whole);
    if (type === 'OPAQUE') return fromBase64(value.trim()).toString('base64');
    // Whether it is a number or a boolean is judged with the scaling, which keeps the text for people.
    return type === 'STRING' ? value : value.trim();
  },
  encode(value, _path, type) {
    if (type === 'OPAQUE') return Buffer.from(opaqueBytes(value).toString('base64'));
    if (type === 'BOOLEAN') return Buffer.from(bit(value) ? '1' : '0');
    return Buffer.from(type === 'STRING' ? wellFormed(value) : numeralOf(value, type));
  },
};

/** A single value in CBOR (OMA Core 1.1, 7.4.3). */
const cborValue: Codec = {
  contentFormat: ContentFormat.CBOR,
  decode: (payload, _path, type) => valueText(readCbor(payload), type),
  encode: (value, _path, type) => writeValue(value, type),
};

/** By Content-Format. */
export const codecs: ReadonlyMap<number, Codec> = new Map(
  [text, opaque, cborValue, senmlJson, senmlCbor, tlv, omaJson].map((codec) => [
    codec.contentFormat,
    codec,
  ]),
);
