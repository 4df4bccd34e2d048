import { type Cbor, decodeCbor, encodeBytes, encodeNumber, numeralOf } from './cbor.ts';
import { bit, type Codec, CodecError, ContentFormat, opaqueBytes } from './codec.ts';

/** A single value in CBOR (OMA Core 1.1, 7.4.3). */
export const cborValue: Codec = {
  contentFormat: ContentFormat.CBOR,
  decode(payload, _path, type) {
    const item: Cbor = decodeCbor(payload);
    if (Buffer.isBuffer(item)) {
      if (type === 'STRING' || type === 'OPAQUE') return item.toString('base64');
      throw new CodecError('opaque bytes are no number');
    }
    if (type === 'OPAQUE') throw new CodecError('the CBOR holds no opaque bytes');
    if (typeof item === 'string') return item;
    return typeof item === 'boolean' ? String(item) : numeralOf(item);
  },
  encode(value, _path, type) {
    if (type === 'BOOLEAN') return Buffer.from([bit(value) ? 0xf5 : 0xf4]);
    if (type === 'OPAQUE') return encodeBytes(2, opaqueBytes(value));
    if (type === 'STRING') return encodeBytes(3, Buffer.from(value));
    return encodeNumber(value);
  },
};
